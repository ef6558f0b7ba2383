#include "linn/layers/linear.h"

#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {

Linear::Linear(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t outputs, bool bias)
    : inputs_(inputs), outputs_(outputs), has_bias_(bias), weight_(parameters.add(name + ".weight", inputs, outputs)) {
  if (has_bias_) bias_ = parameters.add(name + ".bias", 1, outputs, ParameterKind::kBias);
}

// y = x·W + b
void Linear::forward(const ParameterSet& parameters, const ConstMatrixView& x, const MatrixView& y,
                     Cache& /*cache*/) const {
  assert(x.cols == inputs_ && y.cols == outputs_ && x.rows == y.rows);
  const ConstMatrixView w = parameters.value(weight_);
  const float* b = has_bias_ ? parameters.value(bias_).data : nullptr;
  matmul({x.rows, outputs_, inputs_}, by_rows(x.data, x.stride), w.data, w.stride, y.data, y.stride, {.bias = b});
}

// dW += xᵀ·dy    db += Σ dy    dx = dy·Wᵀ
void Linear::backward(const ParameterSet& parameters, ParameterGradients& gradients, const ConstMatrixView& x,
                      const ConstMatrixView& dy, const MatrixView& dx, Cache& cache) const {
  assert(dy.cols == outputs_ && dx.cols == inputs_ && dy.rows == x.rows && dx.rows == x.rows);
  const ConstMatrixView w = parameters.value(weight_);
  const MatrixView dw = gradients.of(weight_);
  matmul({inputs_, outputs_, x.rows}, transposed(x.data, x.stride), dy.data, dy.stride, dw.data, dw.stride,
         {.accumulate = true});
  if (has_bias_) add_rows(dy.rows, outputs_, dy.data, dy.stride, gradients.of(bias_).data);
  cache.transposed.reshape(outputs_, inputs_);
  transpose(inputs_, outputs_, w.data, w.stride, cache.transposed.data(), inputs_);
  matmul({x.rows, inputs_, outputs_}, by_rows(dy.data, dy.stride), cache.transposed.data(), inputs_, dx.data,
         dx.stride);
}

}  // namespace linn
