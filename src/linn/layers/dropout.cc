#include "linn/layers/dropout.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace linn {

Dropout::Dropout(double rate) : rate_(rate) { assert(rate >= 0 && rate < 1); }

// y = x · m / (1 - rate), where every m is 0 with probability rate and 1 otherwise, so that E[y] = x
void Dropout::forward(const ConstMatrixView& x, Random* random, const MatrixView& y, Cache& cache) const {
  cache.active = random != nullptr && rate_ > 0;
  if (!cache.active) {
    copy_matrix(x, y);
    return;
  }
  const std::size_t size = x.rows * x.cols;
  cache.keep.reshape(size);
  const auto threshold = static_cast<std::uint64_t>(std::ldexp(rate_, 32));
  for (std::size_t i = 0; i < size; i += 2) {
    const std::uint64_t bits = random->next();
    cache.keep[i] = (bits >> 32) >= threshold ? 1 : 0;
    if (i + 1 < size) cache.keep[i + 1] = (bits & 0xFFFFFFFFU) >= threshold ? 1 : 0;
  }
  apply(x, cache.keep.data(), y);
}

// dx = dy · m / (1 - rate)
void Dropout::backward(const ConstMatrixView& dy, const MatrixView& dx, const Cache& cache) const {
  if (!cache.active) {
    copy_matrix(dy, dx);
    return;
  }
  assert(cache.keep.size() == dy.rows * dy.cols);
  apply(dy, cache.keep.data(), dx);
}

void Dropout::apply(const ConstMatrixView& from, const std::uint8_t* keep, const MatrixView& to) const {
  assert(from.rows == to.rows && from.cols == to.cols);
  const auto factor = static_cast<float>(1 / (1 - rate_));
  for (std::size_t i = 0; i < from.rows; ++i) {
    const float* source = from.row(i);
    float* target = to.row(i);
    const std::uint8_t* row_keep = keep + i * from.cols;
    // Masked instead of chosen: an unpredictable branch would take most of the time.
    for (std::size_t j = 0; j < from.cols; ++j) {
      const std::uint32_t mask = 0U - std::uint32_t{row_keep[j]};
      target[j] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(source[j] * factor) & mask);
    }
  }
}

}  // namespace linn
