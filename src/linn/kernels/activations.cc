#include "linn/kernels/activations.h"

#include <limits>

#include "linn/kernels/elementwise.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/activations.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

// These must follow foreach_target.h.
#include "hwy/contrib/math/math-inl.h"
#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {
namespace {

// result[i] = function(x[i]), in whole vectors, the last one padded with zeros.
template <class Function>
HWY_INLINE void map(std::size_t size, const float* x, float* result, const Function& function) {
  const Floats d;
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) hn::StoreU(function(hn::LoadU(d, x + i)), d, result + i);
  if (i < size) store_first(function(load_first(x + i, size - i)), result + i, size - i);
}

// Highway's functions turn NaN into some number.
HWY_INLINE FloatVector keep_nan(FloatVector x, FloatVector y) { return hn::IfThenElse(hn::Eq(x, x), y, x); }

}  // namespace

void sigmoid_of(std::size_t size, const float* x, float* y) {
  const Floats d;
  const FloatVector one = hn::Set(d, 1.0F);
  map(size, x, y, [&](FloatVector v) HWY_ATTR {
    // e^-|x| cannot overflow: 1/(1 + e^-x) for x ≥ 0 and e^x/(1 + e^x) below.
    const FloatVector e = hn::Exp(d, hn::Neg(hn::Abs(v)));
    const FloatVector above = hn::IfThenElse(hn::Lt(v, hn::Zero(d)), e, one);
    return keep_nan(v, hn::Div(above, hn::Add(one, e)));
  });
}

void tanh_of(std::size_t size, const float* x, float* y) {
  map(size, x, y, [](FloatVector v) HWY_ATTR { return keep_nan(v, hn::Tanh(Floats(), v)); });
}

void exp_of_difference(std::size_t size, const float* x, float minus, float* y) {
  const FloatVector shift = hn::Set(Floats(), minus);
  map(size, x, y, [&](FloatVector v) HWY_ATTR {
    const FloatVector difference = hn::Sub(v, shift);
    return keep_nan(difference, hn::Exp(Floats(), difference));
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

void tanh(std::size_t size, const float* x, float* y) { HWY_DYNAMIC_DISPATCH(kernels::tanh_of)(size, x, y); }

void tanh_backward(std::size_t size, const float* y, const float* dy, float* dx) {
  for (std::size_t i = 0; i < size; ++i) dx[i] = dy[i] * (1 - y[i] * y[i]);
}

void softmax(std::size_t size, const float* x, float* y) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  float highest = kNone;
  for (std::size_t i = 0; i < size; ++i) highest = x[i] > highest ? x[i] : highest;
  // Nothing is above minus infinity if all elements are minus infinity or NaN.
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

}  // namespace linn
#endif  // HWY_ONCE
