#include "linn/kernels/softmax_rows.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/softmax_rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// These must follow foreach_target.h.
#include "hwy/contrib/math/math-inl.h"
#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

// Where the maximum loses a NaN, exp_rows still finds it in the row.
void raise_maxima(std::size_t rows, std::size_t columns, const float* x, std::size_t stride, float* max) {
  const Floats d;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* row = x + i * stride;
    FloatVector highest = hn::Set(d, max[i]);
    std::size_t j = 0;
    if (columns >= 2 * kLanes) {
      FloatVector other = highest;
      for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
        highest = hn::Max(highest, hn::LoadU(d, row + j));
        other = hn::Max(other, hn::LoadU(d, row + j + kLanes));
      }
      highest = hn::Max(highest, other);
    }
    for (; j + kLanes <= columns; j += kLanes) highest = hn::Max(highest, hn::LoadU(d, row + j));
    float result = hn::GetLane(hn::MaxOfLanes(d, highest));
    for (; j < columns; ++j) result = std::max(result, row[j]);
    max[i] = result;
  }
}

void exponentials(std::size_t rows, std::size_t columns, float* x, std::size_t stride, const float* minus,
                  double* sum) {
  const Floats d;
  // Highway's function turns NaN into some number.
  const auto exp = [&](FloatVector v) HWY_ATTR { return hn::IfThenElse(hn::Eq(v, v), hn::Exp(d, v), v); };
  for (std::size_t i = 0; i < rows; ++i) {
    float* row = x + i * stride;
    const FloatVector shift = hn::Set(d, minus[i]);
    FloatVector total = hn::Zero(d);
    std::size_t j = 0;
    for (; j + kLanes <= columns; j += kLanes) {
      const FloatVector y = exp(hn::Sub(hn::LoadU(d, row + j), shift));
      hn::StoreU(y, d, row + j);
      total = hn::Add(total, y);
    }
    if (j < columns) {
      const std::size_t count = columns - j;
      store_first(exp(hn::Sub(load_first(row + j, count), shift)), row + j, count);
      total = hn::Add(total, load_first(row + j, count));
    }
    sum[i] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
  }
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(raise_maxima);
HWY_EXPORT(exponentials);
}  // namespace kernels

void raise_row_maxima(std::size_t rows, std::size_t columns, const float* x, std::size_t stride, float* max) {
  HWY_DYNAMIC_DISPATCH(kernels::raise_maxima)(rows, columns, x, stride, max);
}

void exp_rows(std::size_t rows, std::size_t columns, float* x, std::size_t stride, const float* minus, double* sum) {
  HWY_DYNAMIC_DISPATCH(kernels::exponentials)(rows, columns, x, stride, minus, sum);
}

}  // namespace linn
#endif  // HWY_ONCE
