#include "linn/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/elementwise.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {

// Sums of products are written as MulAdd, so that the compiler cannot fuse some of them and not others.

void axpy(std::size_t size, float a, const float* x, float* y) {
  const FloatVector factor = hn::Set(Floats(), a);
  for_each_vector(size, [&](std::size_t i, const auto& at)
                            HWY_ATTR { at.store(hn::MulAdd(factor, at.load(x + i), at.load(y + i)), y + i); });
}

void multiply(std::size_t size, const float* a, const float* b, float* y) {
  for_each_vector(
      size, [&](std::size_t i, const auto& at) HWY_ATTR { at.store(hn::Mul(at.load(a + i), at.load(b + i)), y + i); });
}

void multiply_add(std::size_t size, const float* a, const float* b, float* y) {
  for_each_vector(size, [&](std::size_t i, const auto& at)
                            HWY_ATTR { at.store(hn::MulAdd(at.load(a + i), at.load(b + i), at.load(y + i)), y + i); });
}

void scale(std::size_t size, float a, float* x) {
  const FloatVector factor = hn::Set(Floats(), a);
  for_each_vector(size,
                  [&](std::size_t i, const auto& at) HWY_ATTR { at.store(hn::Mul(factor, at.load(x + i)), x + i); });
}

float dot(std::size_t size, const float* x, const float* y) {
  const Floats d;
  // Four sums hide the latency of an addition.
  constexpr std::size_t kSums = 4;
  FloatVector sum0 = hn::Zero(d);
  FloatVector sum1 = hn::Zero(d);
  FloatVector sum2 = hn::Zero(d);
  FloatVector sum3 = hn::Zero(d);
  std::size_t i = 0;
  for (; i + kSums * kLanes <= size; i += kSums * kLanes) {
    sum0 = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), sum0);
    sum1 = hn::MulAdd(hn::LoadU(d, x + i + kLanes), hn::LoadU(d, y + i + kLanes), sum1);
    sum2 = hn::MulAdd(hn::LoadU(d, x + i + 2 * kLanes), hn::LoadU(d, y + i + 2 * kLanes), sum2);
    sum3 = hn::MulAdd(hn::LoadU(d, x + i + 3 * kLanes), hn::LoadU(d, y + i + 3 * kLanes), sum3);
  }
  for_each_vector(size - i, [&](std::size_t j, const auto& at)
                                HWY_ATTR { sum0 = hn::MulAdd(at.load(x + i + j), at.load(y + i + j), sum0); });
  return hn::GetLane(hn::SumOfLanes(d, hn::Add(hn::Add(sum0, sum1), hn::Add(sum2, sum3))));
}

void relu(std::size_t size, const float* x, float* y) {
  for_each_vector(size,
                  [&](std::size_t i, const auto& at) HWY_ATTR { at.store(positive_part(at.load(x + i)), y + i); });
}

void relu_backward(std::size_t size, const float* x, const float* dy, float* dx) {
  for_each_vector(size, [&](std::size_t i, const auto& at) HWY_ATTR {
    const auto passes = hn::Gt(at.load(x + i), hn::Zero(Floats()));
    at.store(hn::IfThenElseZero(passes, at.load(dy + i)), dx + i);
  });
}

void add_relu(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, const float* bias,
              float* h, std::size_t h_stride) {
  for (std::size_t row = 0; row < rows; ++row) {
    const float* a_row = row_of(a, row);
    const float* b_row = row_of(b, row);
    float* h_row = h + row * h_stride;
    for_each_vector(columns, [&](std::size_t j, const auto& at) HWY_ATTR {
      const FloatVector sum = hn::Add(hn::Add(at.load(a_row + j), at.load(b_row + j)), at.load(bias + j));
      at.store(positive_part(sum), h_row + j);
    });
  }
}

void add_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t x_stride, float* sum) {
  const Floats d;
  // Four vectors of sums stay in registers while the rows pass by.
  constexpr std::size_t kBlock = 4 * kLanes;
  std::size_t j = 0;
  for (; j + kBlock <= columns; j += kBlock) {
    FloatVector sum0 = hn::LoadU(d, sum + j);
    FloatVector sum1 = hn::LoadU(d, sum + j + kLanes);
    FloatVector sum2 = hn::LoadU(d, sum + j + 2 * kLanes);
    FloatVector sum3 = hn::LoadU(d, sum + j + 3 * kLanes);
    const float* HWY_RESTRICT p = x + j;
    for (std::size_t row = 0; row < rows; ++row, p += x_stride) {
      sum0 = hn::Add(sum0, hn::LoadU(d, p));
      sum1 = hn::Add(sum1, hn::LoadU(d, p + kLanes));
      sum2 = hn::Add(sum2, hn::LoadU(d, p + 2 * kLanes));
      sum3 = hn::Add(sum3, hn::LoadU(d, p + 3 * kLanes));
    }
    hn::StoreU(sum0, d, sum + j);
    hn::StoreU(sum1, d, sum + j + kLanes);
    hn::StoreU(sum2, d, sum + j + 2 * kLanes);
    hn::StoreU(sum3, d, sum + j + 3 * kLanes);
  }
  for_each_vector(columns - j, [&](std::size_t offset, const auto& at) HWY_ATTR {
    FloatVector rest = at.load(sum + j + offset);
    const float* HWY_RESTRICT p = x + j + offset;
    for (std::size_t row = 0; row < rows; ++row, p += x_stride) rest = hn::Add(rest, at.load(p));
    at.store(rest, sum + j + offset);
  });
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(axpy);
HWY_EXPORT(multiply);
HWY_EXPORT(multiply_add);
HWY_EXPORT(scale);
HWY_EXPORT(dot);
HWY_EXPORT(relu);
HWY_EXPORT(relu_backward);
HWY_EXPORT(add_relu);
HWY_EXPORT(add_rows);
}  // namespace kernels

void axpy(std::size_t size, float a, const float* x, float* y) { HWY_DYNAMIC_DISPATCH(kernels::axpy)(size, a, x, y); }

void multiply(std::size_t size, const float* a, const float* b, float* y) {
  HWY_DYNAMIC_DISPATCH(kernels::multiply)(size, a, b, y);
}

void multiply_add(std::size_t size, const float* a, const float* b, float* y) {
  HWY_DYNAMIC_DISPATCH(kernels::multiply_add)(size, a, b, y);
}
void scale(std::size_t size, float a, float* x) { HWY_DYNAMIC_DISPATCH(kernels::scale)(size, a, x); }

float dot(std::size_t size, const float* x, const float* y) { return HWY_DYNAMIC_DISPATCH(kernels::dot)(size, x, y); }

float squared_norm(std::size_t size, const float* x) { return HWY_DYNAMIC_DISPATCH(kernels::dot)(size, x, x); }

void relu(std::size_t size, const float* x, float* y) { HWY_DYNAMIC_DISPATCH(kernels::relu)(size, x, y); }

void relu_backward(std::size_t size, const float* x, const float* dy, float* dx) {
  HWY_DYNAMIC_DISPATCH(kernels::relu_backward)(size, x, dy, dx);
}

void add_relu(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, const float* bias,
              float* h, std::size_t h_stride) {
  HWY_DYNAMIC_DISPATCH(kernels::add_relu)(rows, columns, a, b, bias, h, h_stride);
}

void add_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t x_stride, float* sum) {
  HWY_DYNAMIC_DISPATCH(kernels::add_rows)(rows, columns, x, x_stride, sum);
}

}  // namespace linn
#endif  // HWY_ONCE
