// Long short-term memory (Hochreiter & Schmidhuber, 1997; with the forget gate of Gers et al., 2000).
#pragma once

#include <cstddef>
#include <string>

#include "linn/layers/recurrent.h"

namespace linn {

class Lstm {
 public:
  Lstm(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t size,
       Direction direction = Direction::kForward)
      : weights_(parameters, name, inputs, size, 4, direction) {}

  struct Cache {
    Matrix gates;  // i, f, g, o
    Matrix cell;
    Matrix cell_tanh;
    Matrix da;
    Matrix dcell;  // one row per sequence: the gradient of its cell from the later steps
    RecurrentWeights::Scratch scratch;
  };

  std::size_t size() const { return weights_.size(); }

  // x and h are packed: the state after every element.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
               const MatrixView& h, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& h, const ConstMatrixView& dh, const MatrixView& dx,
                Cache& cache) const;

 private:
  RecurrentWeights weights_;
};

}  // namespace linn
