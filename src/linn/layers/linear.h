// A linear map of rows, with or without a bias.
#pragma once

#include <cstddef>
#include <string>

#include "linn/layers/layer.h"

namespace linn {

class Linear {
 public:
  Linear(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t outputs, bool bias = true);

  struct Cache {
    Matrix transposed;  // of the weight, for the gradient of x
  };

  void forward(const ParameterSet& parameters, const ConstMatrixView& x, const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const ConstMatrixView& x,
                const ConstMatrixView& dy, const MatrixView& dx, Cache& cache) const;

 private:
  std::size_t inputs_;
  std::size_t outputs_;
  bool has_bias_;
  std::size_t weight_;
  std::size_t bias_ = 0;
};

}  // namespace linn
