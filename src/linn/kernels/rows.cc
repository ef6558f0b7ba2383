#include "linn/kernels/rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/rows.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

void dot_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, float* out) {
  const Floats d;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* x = row_of(a, i);
    const float* y = row_of(b, i);
    FloatVector sum0 = hn::Zero(d);
    FloatVector sum1 = hn::Zero(d);
    std::size_t j = 0;
    for (; j + 2 * kLanes <= columns; j += 2 * kLanes) {
      sum0 = hn::MulAdd(hn::LoadU(d, x + j), hn::LoadU(d, y + j), sum0);
      sum1 = hn::MulAdd(hn::LoadU(d, x + j + kLanes), hn::LoadU(d, y + j + kLanes), sum1);
    }
    for_each_vector(columns - j, [&](std::size_t k, const auto& at)
                                     HWY_ATTR { sum0 = hn::MulAdd(at.load(x + j + k), at.load(y + j + k), sum0); });
    out[i] = hn::GetLane(hn::SumOfLanes(d, hn::Add(sum0, sum1)));
  }
}

void blend_rows(std::size_t rows, std::size_t columns, const float* x, const RowSource& a, const float* y,
                const RowSource& b, const RowTarget& out, bool accumulate) {
  const Floats d;
  for (std::size_t i = 0; i < rows; ++i) {
    const float* a_row = row_of(a, i);
    const float* b_row = row_of(b, i);
    float* out_row = row_of(out, i);
    const FloatVector x_i = hn::Set(d, x[i]);
    const FloatVector y_i = hn::Set(d, y[i]);
    for_each_vector(columns, [&](std::size_t j, const auto& at) HWY_ATTR {
      const FloatVector b_part = hn::Mul(y_i, at.load(b_row + j));
      const FloatVector start = accumulate ? hn::Add(at.load(out_row + j), b_part) : b_part;
      at.store(hn::MulAdd(x_i, at.load(a_row + j), start), out_row + j);
    });
  }
}

void accumulate_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float* a_row = row_of(a, i);
    float* out_row = row_of(out, i);
    for_each_vector(columns, [&](std::size_t j, const auto& at) HWY_ATTR {
      at.store(hn::Add(at.load(out_row + j), at.load(a_row + j)), out_row + j);
    });
  }
}

void copy_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out) {
  for (std::size_t i = 0; i < rows; ++i) {
    const float* a_row = row_of(a, i);
    float* out_row = row_of(out, i);
    for_each_vector(columns,
                    [&](std::size_t j, const auto& at) HWY_ATTR { at.store(at.load(a_row + j), out_row + j); });
  }
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(dot_rows);
HWY_EXPORT(blend_rows);
HWY_EXPORT(accumulate_rows);
HWY_EXPORT(copy_rows);
}  // namespace kernels

void dot_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, float* out) {
  HWY_DYNAMIC_DISPATCH(kernels::dot_rows)(rows, columns, a, b, out);
}

void blend_rows(std::size_t rows, std::size_t columns, const float* x, const RowSource& a, const float* y,
                const RowSource& b, const RowTarget& out, bool accumulate) {
  HWY_DYNAMIC_DISPATCH(kernels::blend_rows)(rows, columns, x, a, y, b, out, accumulate);
}

void accumulate_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out) {
  HWY_DYNAMIC_DISPATCH(kernels::accumulate_rows)(rows, columns, a, out);
}

void copy_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out) {
  HWY_DYNAMIC_DISPATCH(kernels::copy_rows)(rows, columns, a, out);
}

}  // namespace linn
#endif
