#include "linn/nn/activation.h"

#include <cmath>

#include "linn/kernels/elementwise.h"

namespace linn {
namespace {

constexpr float kLeak = 0.01F;

}  // namespace

void activate(Activation activation, std::size_t size, float* x) {
  switch (activation) {
    case Activation::kRelu:
      relu(size, x, x);
      break;
    case Activation::kLeakyRelu:
      for (std::size_t i = 0; i < size; ++i) x[i] = x[i] > 0.0F ? x[i] : kLeak * x[i];
      break;
    case Activation::kTanh:
      for (std::size_t i = 0; i < size; ++i) x[i] = std::tanh(x[i]);
      break;
  }
}

void activation_backward(Activation activation, std::size_t size, const float* y, float* d) {
  switch (activation) {
    case Activation::kRelu:
      relu_backward(size, y, d, d);
      break;
    case Activation::kLeakyRelu:
      for (std::size_t i = 0; i < size; ++i) d[i] = y[i] > 0.0F ? d[i] : kLeak * d[i];
      break;
    case Activation::kTanh:
      for (std::size_t i = 0; i < size; ++i) d[i] *= 1.0F - y[i] * y[i];
      break;
  }
}

void add_activate(Activation activation, std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b,
                  const float* bias, float* h) {
  if (activation == Activation::kRelu && b.data != nullptr) {
    add_relu(rows, columns, a, b, bias, h, columns);
    return;
  }
  copy_rows(rows, columns, a, {h, columns});
  if (b.data != nullptr) accumulate_rows(rows, columns, b, {h, columns});
  accumulate_rows(rows, columns, {bias, 0}, {h, columns});
  activate(activation, rows * columns, h);
}

}  // namespace linn
