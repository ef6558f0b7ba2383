// The optimizers' update formulas over arrays, and their replay for rows that missed steps.
//
// Both run the same operations in the same order on each element, so a replayed row has the same bits as a row that was
// updated in every step. All lengths and alignments are allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace linn {

// With g' = cut(scale·g, ±clip) + decay·p and p' = p - shrink·p:
enum class UpdateKind : std::uint8_t {
  kSgd,      // p = p' - rate·g'
  kAdagrad,  // v = v + g'²;  p = p' - rate·g' / (√v + epsilon)
  kAdam,     // m = beta1·m + rest1·g';  v = beta2·v + rest2·g'²;  p = p' - rate·m / (√v·root_factor + epsilon)
};

// What all steps share.
struct UpdateRule {
  UpdateKind kind = UpdateKind::kAdam;
  float beta1 = 0;
  float rest1 = 1;  // 1 - beta1, rounded once: in float 1 - 0.999 is wrong in the fifth digit
  float beta2 = 0;
  float rest2 = 1;
  float epsilon = 0;
  float decay = 0;                                      // coupled: added to the gradient
  float clip = std::numeric_limits<float>::infinity();  // of each element of the gradient

  bool has_m() const { return kind == UpdateKind::kAdam; }
  bool has_v() const { return kind == UpdateKind::kAdagrad || kind == UpdateKind::kAdam; }
};

// What differs from step to step.
struct StepFactors {
  float rate = 0;         // the learning rate; for Adam divided by 1 - beta1^t
  float root_factor = 1;  // for Adam 1 / √(1 - beta2^t)
  float shrink = 0;       // decoupled decay: the learning rate times the weight decay
};

// One step with the gradient g; null stands for zeros. m and v are ignored where the kind has none.
void apply_update(const UpdateRule& rule, const StepFactors& step, float gradient_scale, std::size_t size,
                  const float* g, float* m, float* v, float* p);

// |x| below this share of |p| is less than a quarter of the distance to the next float, so p - x = p. Twice as much
// would do; the margin covers the rounding of the comparison itself.
inline constexpr float kNegligible = 0x1p-27F;

// Without gradients and coupled decay m fades. Once it is so small that no later step of the replay can change any p,
// one product per step for m and one for v remain. These bounds say when that conclusion is safe.
struct ReplayBounds {
  bool fades = false;    // whether |m| falls faster than everything it is compared with
  float rate = 0;        // the largest of the replayed steps
  float shrink = 0;      // likewise
  float smallest_p = 0;  // for a smaller |p|, products of numbers below the normal range could still matter
};

// Bounds for replays of at most the given number of steps with rates and shrinks up to the given ones.
ReplayBounds replay_bounds(const UpdateRule& rule, float largest_rate, float largest_shrink, std::size_t steps);

// Whether steps without gradient change anything.
bool has_effect_without_gradient(const UpdateRule& rule, float largest_shrink);

// Gives the same bits as apply_update for each of the steps in turn with gradients of zero, but loads and stores each
// element once.
void replay_updates(const UpdateRule& rule, const ReplayBounds& bounds, std::span<const StepFactors> steps,
                    std::size_t size, float* m, float* v, float* p);

// mean[i] += share · (x[i] - mean[i])
void move_towards(std::size_t size, float share, const float* x, float* mean);

}  // namespace linn
