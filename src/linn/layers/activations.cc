#include "linn/layers/activations.h"

#include <cassert>
#include <limits>

#include "linn/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/layers/activations.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// Behind foreach_target.h, which is why it stands among these.
#include "hwy/contrib/math/math-inl.h"
#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {
namespace {

// result[i] = function(x[i]), by whole vectors, the last one filled up with zeros.
template <class Function>
HWY_INLINE void map(std::size_t size, const float* x, float* result, const Function& function) {
  const Floats d;
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, result + i);
  if (i < size) store_first(function(load_first(x + i, size - i)), result + i, size - i);
}

// The library's functions turn what is not a number into some number.
HWY_INLINE FloatVector keep_not_a_number(FloatVector x, FloatVector y) { return hn::IfThenElse(hn::Eq(x, x), y, x); }

}  // namespace

void sigmoid_of(std::size_t size, const float* x, float* y) {
  const Floats d;
  const FloatVector one = hn::Set(d, 1.0F);
  map(size, x, y, [&](FloatVector v) HWY_ATTR {
    // e^-|x| cannot overflow: 1/(1 + e^-x) for x ≥ 0 and e^x/(1 + e^x) below.
    const FloatVector e = hn::Exp(d, hn::Neg(hn::Abs(v)));
    const FloatVector above = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), e, one);
    return keep_not_a_number(v, hn::Div(above, hn::Add(one, e)));
  });
}

void tanh_of(std::size_t size, const float* x, float* y) {
  map(size, x, y, [](FloatVector v) HWY_ATTR { return keep_not_a_number(v, hn::Tanh(Floats(), v)); });
}

void exp_of_difference(std::size_t size, const float* x, float minus, float* y) {
  const FloatVector shift = hn::Set(Floats(), minus);
  map(size, x, y, [&](FloatVector v) HWY_ATTR {
    const FloatVector difference = hn::Sub(v, shift);
    return keep_not_a_number(difference, hn::Exp(Floats(), difference));
  });
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(sigmoid_of);
HWY_EXPORT(tanh_of);
HWY_EXPORT(exp_of_difference);
}  // namespace kernels

void sigmoid(std::size_t size, const float* x, float* y) { HWY_DYNAMIC_DISPATCH(kernels::sigmoid_of)(size, x, y); }

void sigmoid_backward(std::size_t size, const float* y, const float* dy, float* dx) {
  for (std::size_t i = 0; i < size; ++i) dx[i] = dy[i] * y[i] * (1 - y[i]);
}

void tanh(std::size_t size, const float* x, float* y) { HWY_DYNAMIC_DISPATCH(kernels::tanh_of)(size, x, y); }

void tanh_backward(std::size_t size, const float* y, const float* dy, float* dx) {
  for (std::size_t i = 0; i < size; ++i) dx[i] = dy[i] * (1 - y[i] * y[i]);
}

void softmax(std::size_t size, const float* x, float* y) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  float highest = kNone;
  for (std::size_t i = 0; i < size; ++i) highest = x[i] > highest ? x[i] : highest;
  // With nothing above minus infinity there is nothing to share out, or a number that is none.
  const float shift = highest == kNone ? 0.0F : highest;
  HWY_DYNAMIC_DISPATCH(kernels::exp_of_difference)(size, x, shift, y);
  double sum = 0;
  for (std::size_t i = 0; i < size; ++i) sum += y[i];
  if (sum != 0) scale(size, static_cast<float>(1 / sum), y);
}

void softmax_backward(std::size_t size, const float* y, const float* dy, float* dx) {
  const float mean = dot(size, y, dy);
  for (std::size_t i = 0; i < size; ++i) dx[i] = y[i] * (dy[i] - mean);
}

void softmax_rows(const ConstMatrixView& x, const std::uint8_t* mask, const MatrixView& y) {
  assert(x.rows == y.rows && x.cols == y.cols);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const float* from = x.row(i);
    if (mask != nullptr) {
      // e^-∞ = 0
      const std::uint8_t* row_mask = mask + i * x.cols;
      for (std::size_t j = 0; j < x.cols; ++j) {
        y.row(i)[j] = row_mask[j] != 0 ? from[j] : -std::numeric_limits<float>::infinity();
      }
      from = y.row(i);
    }
    softmax(x.cols, from, y.row(i));
  }
}

void softmax_rows_backward(const ConstMatrixView& y, const ConstMatrixView& dy, const MatrixView& dx) {
  assert(y.rows == dy.rows && y.cols == dy.cols && y.rows == dx.rows && y.cols == dx.cols);
  for (std::size_t i = 0; i < y.rows; ++i) softmax_backward(y.cols, y.row(i), dy.row(i), dx.row(i));
}

}  // namespace linn
#endif  // HWY_ONCE
