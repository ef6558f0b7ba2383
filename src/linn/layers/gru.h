// The gated recurrent unit (Cho et al., 2014), with the reset gate after the product as in PyTorch and cuDNN.
#pragma once

#include <cstddef>
#include <string>

#include "linn/layers/recurrent.h"

namespace linn {

class Gru {
 public:
  Gru(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t size,
      Direction direction = Direction::kForward)
      : weights_(parameters, name, inputs, size, 3, direction) {}

  struct Cache {
    Matrix gates;   // r, z, n
    Matrix states;  // h·W_hh + b_hh, before the reset gate
    Matrix da;
    Matrix ds;
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
