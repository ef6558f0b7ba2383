// The gradients of the parameters as a lane sums them.
//
// Those of a weight matrix are sums of xᵀ·dy over rows. A deep level of a plan has few rows, and a product over few
// rows spends its time on reading and writing the sum. So such rows are collected, and multiplied once there are
// enough. They are added in the order in which they came, so that collecting them changes no bit.
#pragma once

#include <cstddef>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/nn/parameters.h"

namespace linn {

// A matrix to which products are added.
struct ProductSum {
  float* data = nullptr;
  std::size_t stride = 0;  // between its rows
  std::size_t inputs = 0;  // its rows, the columns of x
  std::size_t outputs = 0;
};

class DelayedProducts {
 public:
  // sum += xᵀ·dy, not later than in finish(). The rows of x and dy have no gaps and may be overwritten afterwards.
  void add(const ProductSum& sum, std::size_t rows, const float* x, const float* dy);
  // Computes what is left. Until then the sums must not be read, nor changed otherwise.
  void finish();

 private:
  struct Pending {
    ProductSum sum;
    std::size_t rows = 0;
    AlignedArray<float> x, dy;
  };
  Pending& pending(const ProductSum& sum);
  static void multiply(const ProductSum& sum, std::size_t rows, const float* x, const float* dy);
  static void finish(Pending& pending);

  std::vector<Pending> pending_;
};

class LaneGradients : public ParameterGradients {
 public:
  using ParameterGradients::ParameterGradients;

  // Adds xᵀ·dy to the gradient of a matrix with as many rows as x has columns, and as many columns as dy. It is
  // complete after products().finish().
  void add_product(std::size_t parameter, std::size_t rows, const float* x, const float* dy) {
    const MatrixView sum = of(parameter);
    products_.add({sum.data, sum.stride, sum.rows, sum.cols}, rows, x, dy);
  }
  DelayedProducts& products() { return products_; }

 private:
  DelayedProducts products_;
};

}  // namespace linn
