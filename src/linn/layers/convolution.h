// A convolution over the elements of a sequence with relu and max-over-time pooling (Kim, 2014).
//
// A network with several widths has one such layer per width, writing to columns of the same matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "linn/layers/layer.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

class Convolution {
 public:
  // The weight has width · inputs rows: those of the window's first element, then of its second, ...
  Convolution(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t filters,
              std::size_t width);

  struct Cache {
    Matrix responses;                  // to the window that begins at a packed row
    AlignedArray<std::uint32_t> best;  // sequences × filters: the step at which the largest response begins
    Matrix transposed;                 // of the weight
    Matrix dtransposed;
  };

  std::size_t filters() const { return filters_; }

  // x is packed; y has one row per sequence. A sequence shorter than the window is padded with zeros.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
               const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& y, const ConstMatrixView& dy, const MatrixView& dx,
                Cache& cache) const;

 private:
  // The number of sequences with a window that begins at the step.
  std::size_t windows(const SequenceBatch& batch, std::size_t step) const;

  std::size_t inputs_;
  std::size_t filters_;
  std::size_t width_;
  std::size_t weight_;
  std::size_t bias_;
};

}  // namespace linn
