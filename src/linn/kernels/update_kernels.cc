#include "linn/kernels/update_kernels.h"

#include <algorithm>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linn/kernels/update_kernels.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "linn/kernels/lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace linn::kernels::HWY_NAMESPACE {
namespace {

// Sums of products are written as MulAdd, so that the compiler cannot fuse some of them and not others.

struct Element {
  FloatVector m, v, p;
};

struct Factors {
  FloatVector rate, root_factor, shrink;
};

HWY_INLINE FloatVector constant(float value) { return hn::Set(Floats(), value); }

HWY_INLINE Factors broadcast(const StepFactors& step) {
  return {constant(step.rate), constant(step.root_factor), constant(step.shrink)};
}

HWY_INLINE FloatVector shrunk(const Factors& step, FloatVector p) { return hn::NegMulAdd(step.shrink, p, p); }

HWY_INLINE bool all_true(hn::Mask<Floats> mask) { return hn::AllTrue(Floats(), mask); }

// Neither |m| nor a later |m| that has stopped falling below the normal range can change p.
HWY_INLINE bool is_faded(const ReplayBounds& bounds, const Element& e, FloatVector divisor) {
  const FloatVector size = hn::Abs(e.p);
  const FloatVector least = hn::Mul(hn::Mul(constant(kNegligible), size), divisor);
  const auto small = hn::Le(hn::Mul(constant(bounds.rate), hn::Abs(e.m)), least);
  const auto stays = hn::Or(hn::Ge(size, constant(bounds.smallest_p)), hn::Eq(e.m, hn::Zero(Floats())));
  return all_true(hn::And(small, stays));
}

// The rules. advance makes a step with the gradient g', skip a step with gradient zero and no coupled decay.

struct Sgd {
  static constexpr bool kHasM = false;
  static constexpr bool kHasV = false;
  explicit HWY_INLINE Sgd(const UpdateRule&) {}

  HWY_INLINE void advance(const Factors& step, FloatVector g, Element& e) const {
    e.p = hn::NegMulAdd(step.rate, g, shrunk(step, e.p));
  }
  HWY_INLINE void skip(const Factors& step, Element& e) const { e.p = shrunk(step, e.p); }
};

struct Adagrad {
  static constexpr bool kHasM = false;
  static constexpr bool kHasV = true;
  FloatVector epsilon;
  explicit HWY_INLINE Adagrad(const UpdateRule& rule) : epsilon(constant(rule.epsilon)) {}

  HWY_INLINE void advance(const Factors& step, FloatVector g, Element& e) const {
    e.v = hn::MulAdd(g, g, e.v);
    const FloatVector move = hn::Div(hn::Mul(step.rate, g), hn::Add(hn::Sqrt(e.v), epsilon));
    e.p = hn::Sub(shrunk(step, e.p), move);
  }
  HWY_INLINE void skip(const Factors& step, Element& e) const { e.p = shrunk(step, e.p); }
};

struct Adam {
  static constexpr bool kHasM = true;
  static constexpr bool kHasV = true;
  FloatVector beta1, rest1, beta2, rest2, epsilon;
  explicit HWY_INLINE Adam(const UpdateRule& rule)
      : beta1(constant(rule.beta1)),
        rest1(constant(rule.rest1)),
        beta2(constant(rule.beta2)),
        rest2(constant(rule.rest2)),
        epsilon(constant(rule.epsilon)) {}

  HWY_INLINE void advance(const Factors& step, FloatVector g, Element& e) const {
    e.m = hn::MulAdd(rest1, g, hn::Mul(beta1, e.m));
    e.v = hn::MulAdd(rest2, hn::Mul(g, g), hn::Mul(beta2, e.v));
    move(step, e);
  }
  HWY_INLINE void skip(const Factors& step, Element& e) const {
    e.m = hn::Mul(beta1, e.m);
    e.v = hn::Mul(beta2, e.v);
    move(step, e);
  }
  HWY_INLINE void move(const Factors& step, Element& e) const {
    const FloatVector root = hn::MulAdd(hn::Sqrt(e.v), step.root_factor, epsilon);
    e.p = hn::Sub(shrunk(step, e.p), hn::Div(hn::Mul(step.rate, e.m), root));
  }
  // The root factor is at least 1, so this divisor is at most the true one.
  HWY_INLINE bool faded(const ReplayBounds& bounds, const Element& e) const {
    return is_faded(bounds, e, hn::Add(hn::Sqrt(e.v), epsilon));
  }
};

template <class Rule, class Access>
HWY_INLINE Element load_element(const Access& at, const float* m, const float* v, const float* p, std::size_t i) {
  const FloatVector zero = hn::Zero(Floats());
  Element e{zero, zero, at.load(p + i)};
  if constexpr (Rule::kHasM) e.m = at.load(m + i);
  if constexpr (Rule::kHasV) e.v = at.load(v + i);
  return e;
}

template <class Rule, class Access>
HWY_INLINE void store_element(const Access& at, const Element& e, float* m, float* v, float* p, std::size_t i) {
  at.store(e.p, p + i);
  if constexpr (Rule::kHasM) at.store(e.m, m + i);
  if constexpr (Rule::kHasV) at.store(e.v, v + i);
}

template <class Rule, class Access>
HWY_INLINE void apply_vector(const Rule& rule, const UpdateRule& numbers, const Factors& step, FloatVector scale,
                             const Access& at, std::size_t i, const float* g, float* m, float* v, float* p) {
  const FloatVector high = constant(numbers.clip);
  const FloatVector low = constant(-numbers.clip);
  Element e = load_element<Rule>(at, m, v, p, i);
  // Not Min and Max, which drop NaN on some instruction sets.
  const FloatVector raw = g != nullptr ? hn::Mul(scale, at.load(g + i)) : hn::Zero(Floats());
  const FloatVector cut = hn::IfThenElse(hn::Gt(raw, high), high, hn::IfThenElse(hn::Lt(raw, low), low, raw));
  rule.advance(step, hn::MulAdd(constant(numbers.decay), e.p, cut), e);
  store_element<Rule>(at, e, m, v, p, i);
}

template <class Rule>
HWY_INLINE void apply(const UpdateRule& numbers, const StepFactors& step, float gradient_scale, std::size_t size,
                      const float* g, float* m, float* v, float* p) {
  const Rule rule(numbers);
  const Factors factors = broadcast(step);
  const FloatVector scale = constant(gradient_scale);
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    apply_vector(rule, numbers, factors, scale, Whole(), i, g, m, v, p);
  }
  if (i < size) apply_vector(rule, numbers, factors, scale, First{size - i}, i, g, m, v, p);
}

// The number of steps between two checks whether the rest can be cut short.
constexpr std::size_t kStretch = 8;

// Multiplies each vector by the factor so many times, but stops once that has no effect: below the normal range a
// number can be the nearest float to its own product.
template <std::size_t... n>
HWY_INLINE void multiply_repeatedly(std::index_sequence<n...>, FloatVector Element::*member, FloatVector factor,
                                    std::size_t times, Element* e) {
  while (times > 0 && !(all_true(hn::Eq(e[n].*member, hn::Mul(e[n].*member, factor))) && ...)) {
    const std::size_t stretch = std::min(times, kStretch);
    for (std::size_t i = 0; i < stretch; ++i) ((e[n].*member = hn::Mul(e[n].*member, factor)), ...);
    times -= stretch;
  }
}

// Several vectors at once, since with coupled decay each step of a vector waits for a root and a quotient.
template <bool kCoupled, class Rule, class Access, std::size_t... n>
HWY_INLINE void replay_vectors(std::index_sequence<n...> all, const Rule& rule, FloatVector decay,
                               const ReplayBounds& bounds, std::span<const StepFactors> steps, const Access& at,
                               float* m, float* v, float* p) {
  Element e[] = {load_element<Rule>(at, m, v, p, n * kLanes)...};
  std::size_t done = 0;
  if constexpr (kCoupled) {
    for (; done < steps.size(); ++done) {
      const Factors factors = broadcast(steps[done]);
      (rule.advance(factors, hn::Mul(decay, e[n].p), e[n]), ...);
    }
  } else {
    while (done < steps.size()) {
      if constexpr (Rule::kHasM) {
        if (bounds.fades && (rule.faded(bounds, e[n]) && ...)) break;
      }
      const std::size_t end = std::min(done + kStretch, steps.size());
      for (; done < end; ++done) {
        const Factors factors = broadcast(steps[done]);
        (rule.skip(factors, e[n]), ...);
      }
    }
    if constexpr (Rule::kHasM) {
      const std::size_t rest = steps.size() - done;
      multiply_repeatedly(all, &Element::m, rule.beta1, rest, e);
      if constexpr (Rule::kHasV) multiply_repeatedly(all, &Element::v, rule.beta2, rest, e);
      if (bounds.shrink > kNegligible) {
        for (; done < steps.size(); ++done) {
          const Factors factors = broadcast(steps[done]);
          ((e[n].p = shrunk(factors, e[n].p)), ...);
        }
      }
      // A step with a gradient of zero turns -0 into 0.
      ((e[n].m = hn::Add(e[n].m, hn::Zero(Floats()))), ...);
    }
  }
  (store_element<Rule>(at, e[n], m, v, p, n * kLanes), ...);
}

template <bool kCoupled, class Rule>
HWY_INLINE void replay_all(const UpdateRule& numbers, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                           std::size_t size, float* m, float* v, float* p) {
  const Rule rule(numbers);
  const FloatVector decay = constant(numbers.decay);
  constexpr std::size_t kVectors = 4;
  const auto advance = [&](std::size_t count) {
    if constexpr (Rule::kHasM) m += count;
    if constexpr (Rule::kHasV) v += count;
    p += count;
    size -= count;
  };
  for (; size >= kVectors * kLanes; advance(kVectors * kLanes)) {
    replay_vectors<kCoupled>(std::make_index_sequence<kVectors>(), rule, decay, bounds, steps, Whole(), m, v, p);
  }
  for (; size >= kLanes; advance(kLanes)) {
    replay_vectors<kCoupled>(std::index_sequence<0>(), rule, decay, bounds, steps, Whole(), m, v, p);
  }
  if (size > 0) {
    replay_vectors<kCoupled>(std::index_sequence<0>(), rule, decay, bounds, steps, First{size}, m, v, p);
  }
}

template <class Rule>
HWY_INLINE void replay(const UpdateRule& numbers, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                       std::size_t size, float* m, float* v, float* p) {
  if (numbers.decay != 0) {
    replay_all<true, Rule>(numbers, bounds, steps, size, m, v, p);
  } else {
    replay_all<false, Rule>(numbers, bounds, steps, size, m, v, p);
  }
}

}  // namespace

void apply_update(const UpdateRule& rule, const StepFactors& step, float gradient_scale, std::size_t size,
                  const float* g, float* m, float* v, float* p) {
  switch (rule.kind) {
    case UpdateKind::kSgd:
      return apply<Sgd>(rule, step, gradient_scale, size, g, m, v, p);
    case UpdateKind::kAdagrad:
      return apply<Adagrad>(rule, step, gradient_scale, size, g, m, v, p);
    case UpdateKind::kAdam:
      return apply<Adam>(rule, step, gradient_scale, size, g, m, v, p);
  }
}

void replay_updates(const UpdateRule& rule, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                    std::size_t size, float* m, float* v, float* p) {
  switch (rule.kind) {
    case UpdateKind::kSgd:
      return replay<Sgd>(rule, bounds, steps, size, m, v, p);
    case UpdateKind::kAdagrad:
      return replay<Adagrad>(rule, bounds, steps, size, m, v, p);
    case UpdateKind::kAdam:
      return replay<Adam>(rule, bounds, steps, size, m, v, p);
  }
}

void move_towards(std::size_t size, float share, const float* x, float* mean) {
  const FloatVector factor = constant(share);
  const auto move = [&](const auto& at, std::size_t i) HWY_ATTR {
    const FloatVector old = at.load(mean + i);
    at.store(hn::MulAdd(factor, hn::Sub(at.load(x + i), old), old), mean + i);
  };
  std::size_t i = 0;
  for (; i + kLanes <= size; i += kLanes) move(Whole(), i);
  if (i < size) move(First{size - i}, i);
}

}  // namespace linn::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace linn {
namespace kernels {
HWY_EXPORT(apply_update);
HWY_EXPORT(replay_updates);
HWY_EXPORT(move_towards);
}  // namespace kernels

void apply_update(const UpdateRule& rule, const StepFactors& step, float gradient_scale, std::size_t size,
                  const float* g, float* m, float* v, float* p) {
  HWY_DYNAMIC_DISPATCH(kernels::apply_update)(rule, step, gradient_scale, size, g, m, v, p);
}

void replay_updates(const UpdateRule& rule, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                    std::size_t size, float* m, float* v, float* p) {
  HWY_DYNAMIC_DISPATCH(kernels::replay_updates)(rule, bounds, steps, size, m, v, p);
}

void move_towards(std::size_t size, float share, const float* x, float* mean) {
  HWY_DYNAMIC_DISPATCH(kernels::move_towards)(size, share, x, mean);
}

ReplayBounds replay_bounds(const UpdateRule& rule, float largest_rate, float largest_shrink, std::size_t steps) {
  ReplayBounds bounds;
  bounds.rate = largest_rate;
  bounds.shrink = largest_shrink;
  if (!rule.has_m()) return bounds;
  // In each step p shrinks by (1 - shrink) and the divisor √v + epsilon by at most √beta2. Nothing can be said about a
  // divisor that is lost below the normal range, so epsilon must be well above the roots of such numbers.
  double slowest = 1 - double{largest_shrink};
  slowest *= std::sqrt(double{rule.beta2});
  const double divisor = rule.epsilon;
  bounds.fades = divisor >= 1e-15 && rule.beta1 <= slowest * (1 - 1e-6);
  // Below the normal range |m| may stop falling while p keeps shrinking.
  using Limits = std::numeric_limits<float>;
  const double least = double{largest_rate} * double{Limits::min()} / (double{kNegligible} * divisor);
  const double shrunk = std::pow(1 - double{largest_shrink}, static_cast<double>(steps));
  bounds.smallest_p = static_cast<float>(std::min(double{Limits::max()}, least / shrunk));
  return bounds;
}

bool has_effect_without_gradient(const UpdateRule& rule, float largest_shrink) {
  return rule.has_m() || rule.decay != 0 || largest_shrink > 0;
}

}  // namespace linn
#endif  // HWY_ONCE
