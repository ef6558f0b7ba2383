// The optimizers' formulas over arrays, and their replay over rows that missed steps.
//
// Both run the same operations in the same order on each element, so that a row that is replayed has the same bits as
// one that was updated all the time. All lengths and alignments are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace linn {

// With g' = cut(scale·g, ±clip) + decay·p and p' = p - shrink·p:
enum class UpdateKind : std::uint8_t {
  kSgd,       // p = p' - rate·g'
  kMomentum,  // m = beta1·m + g';  p = p' - rate·m
  kAdagrad,   // v = v + g'²;  p = p' - rate·g' / (√v + epsilon)
  kAdam,  // m = beta1·m + rest1·g';  v = beta2·v + rest2·g'²;  p = p' - rate·m / (√v·root_factor + epsilon)
};

// What is the same in all steps.
struct UpdateRule {
  UpdateKind kind = UpdateKind::kAdam;
  float beta1 = 0;
  float rest1 = 1;  // 1 - beta1, rounded once: in float 1 - 0.999 is wrong in the fifth digit
  float beta2 = 0;
  float rest2 = 1;
  float epsilon = 0;
  float decay = 0;                                      // coupled: added to the gradient
  float clip = std::numeric_limits<float>::infinity();  // of each element of the gradient

  bool has_m() const { return kind == UpdateKind::kMomentum || kind == UpdateKind::kAdam; }
  bool has_v() const { return kind == UpdateKind::kAdagrad || kind == UpdateKind::kAdam; }
};

// What differs from step to step.
struct StepFactors {
  float rate = 0;         // the learning rate; for Adam divided by 1 - beta1^t
  float root_factor = 1;  // for Adam 1 / √(1 - beta2^t)
  float shrink = 0;       // decoupled decay: the learning rate times the weight decay
};

// One step with the gradient g; a null pointer stands for zeros. m and v are not looked at where the kind has none.
void apply_update(const UpdateRule& rule, const StepFactors& step, float gradient_scale, std::size_t size,
                  const float* g, float* m, float* v, float* p);

// |x| below this share of |p| is less than a quarter of the distance to the next float: p - x is p. Half of what would
// do, which leaves room for the rounding of the comparison itself.
inline constexpr float kNegligible = 0x1p-27F;

// Without coupled decay a momentum without gradients fades. Once it is so small that no later step of the replay can
// change any p, what remains is a product a step for m and v. This says when that is safe to conclude.
struct ReplayBounds {
  bool fades = false;    // whether |m| falls faster than everything that it is compared with
  float rate = 0;        // none of the replayed steps has a larger one
  float shrink = 0;      // likewise
  float smallest_p = 0;  // for a smaller |p|, products of numbers below the normal range could still matter
};

// Bounds for replays of at most the given number of steps with rates and shrinks up to the given ones.
ReplayBounds replay_bounds(const UpdateRule& rule, float largest_rate, float largest_shrink, std::size_t steps);

// Whether steps without gradient change anything.
bool has_effect_without_gradient(const UpdateRule& rule, float largest_shrink);

// The same bits as apply_update for each of the steps, one after the other, with gradients of zero; but each element
// is loaded and stored once.
void replay_updates(const UpdateRule& rule, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                    std::size_t size, float* m, float* v, float* p);

// mean[i] += share · (x[i] - mean[i])
void move_towards(std::size_t size, float share, const float* x, float* mean);

}  // namespace linn
