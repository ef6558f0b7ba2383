#include "linn/nn/lane_gradients.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/kernels/rows.h"
#include "linn/nn/lanes.h"

namespace linn {
namespace {

// Collecting a row copies it, storing a sum reads and writes it: so larger matrices collect more rows.
std::size_t most_rows(const MatrixView& sum) {
  constexpr std::size_t kMostRows = 384;
  return std::clamp(3 * sum.rows * sum.cols / (sum.rows + sum.cols), kBlockRows, kMostRows);
}

// So many rows are worth a product of their own, without being copied, if the sum is stored anyway or is small.
constexpr std::size_t kEnoughRows = kBlockRows / 2;

constexpr std::size_t kSumRows = 48;

}  // namespace

LaneGradients::LaneGradients(const ParameterSet& parameters)
    : ParameterGradients(parameters), products_(parameters.list().size()) {
  // Room for all rows at once, so that no step allocates anything; what is never written to takes no memory.
  for (std::size_t i = 0; i < products_.size(); ++i) {
    if (parameters.list()[i].kind != ParameterKind::kWeight) continue;
    const MatrixView sum = of(i);
    products_[i].x.reshape(most_rows(sum) * sum.rows);
    products_[i].dy.reshape(most_rows(sum) * sum.cols);
  }
}

void LaneGradients::clear() {
  for (std::size_t i = 0; i < products_.size(); ++i) {
    Products& products = products_[i];
    const MatrixView sum = of(i);
    if (!products.is_used) std::fill_n(sum.data, sum.rows * sum.cols, 0.0F);
    products.is_stored = false;
    products.rows = 0;
  }
}

void LaneGradients::add_product(std::size_t parameter, std::size_t rows, const float* x, const float* dy,
                                std::size_t dy_stride) {
  Products& to = products_[parameter];
  const MatrixView sum = of(parameter);
  to.is_used = true;
  assert(rows <= kBlockRows);
  const std::size_t most = most_rows(sum);
  if (to.rows + rows > most) {
    multiply(to, sum, to.rows, to.x.data(), to.dy.data(), sum.cols);
    to.rows = 0;
  }
  if (rows >= kEnoughRows && to.rows == 0 && (to.is_stored || most == kBlockRows)) {
    multiply(to, sum, rows, x, dy, dy_stride);
    return;
  }
  std::copy_n(x, rows * sum.rows, to.x.data() + to.rows * sum.rows);
  copy_rows(rows, sum.cols, {dy, dy_stride}, {to.dy.data() + to.rows * sum.cols, sum.cols});
  to.rows += rows;
}

void LaneGradients::finish_products() {
  for (std::size_t i = 0; i < products_.size(); ++i) {
    Products& products = products_[i];
    if (!products.is_stored || products.rows == 0) continue;
    const MatrixView sum = of(i);
    multiply(products, sum, products.rows, products.x.data(), products.dy.data(), sum.cols);
    products.rows = 0;
  }
}

void LaneGradients::add_to(std::size_t parameter, std::size_t begin, std::size_t end, const MatrixView& total) {
  const Products& products = products_[parameter];
  const MatrixView sum = of(parameter);
  if (products.is_stored || !products.is_used) {
    assert(products.rows == 0);
    for (std::size_t row = 0; row < sum.rows; ++row) {
      axpy(end - begin, 1.0F, sum.row(row) + begin, total.row(row) + begin);
    }
  } else if (products.rows > 0) {
    // A few rows of the sum at a time, which stay in the cache.
    const std::size_t columns = end - begin;
    std::array<float, kSumRows * kMostColumns> rows_of_sum;
    assert(columns <= kMostColumns);
    for (std::size_t row = 0; row < sum.rows; row += kSumRows) {
      const std::size_t rows = std::min(kSumRows, sum.rows - row);
      matmul({rows, columns, products.rows}, transposed(products.x.data() + row, sum.rows), products.dy.data() + begin,
             sum.cols, rows_of_sum.data(), columns);
      for (std::size_t i = 0; i < rows; ++i) {
        axpy(columns, 1.0F, rows_of_sum.data() + i * columns, total.row(row + i) + begin);
      }
    }
  }
}

void LaneGradients::multiply(Products& products, const MatrixView& sum, std::size_t rows, const float* x,
                             const float* dy, std::size_t dy_stride) {
  matmul({sum.rows, sum.cols, rows}, transposed(x, sum.rows), dy, dy_stride, sum.data, sum.stride,
         {.accumulate = products.is_stored});
  products.is_stored = true;
}

}  // namespace linn
