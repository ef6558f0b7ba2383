#include "linn/optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linn/base/error.h"

namespace linn {

void check(const Schedule& schedule) {
  const bool ends = schedule.kind == ScheduleKind::kLinear || schedule.kind == ScheduleKind::kCosine;
  if (ends && schedule.total_steps <= schedule.warmup_steps) {
    throw InputError("this learning-rate schedule needs more steps than its warm-up has");
  }
  if (ends && !(schedule.final_share >= 0 && schedule.final_share <= 1)) {
    throw InputError("the final share of the learning rate must be between 0 and 1");
  }
  if (schedule.kind == ScheduleKind::kStepDecay) {
    if (schedule.period == 0) throw InputError("step decay of the learning rate needs a period of at least one step");
    if (!(schedule.decay > 0 && schedule.decay <= 1)) {
      throw InputError("the decay factor of the learning rate must be above 0 and at most 1");
    }
  }
}

double learning_rate_share(const Schedule& schedule, std::uint64_t step) {
  if (step <= schedule.warmup_steps) return static_cast<double>(step) / static_cast<double>(schedule.warmup_steps);
  const std::uint64_t over = step - 1 - schedule.warmup_steps;
  switch (schedule.kind) {
    case ScheduleKind::kConstant:
      return 1;
    case ScheduleKind::kStepDecay: {
      const std::uint64_t periods = over / schedule.period;
      return std::pow(schedule.decay, static_cast<double>(periods));
    }
    case ScheduleKind::kLinear:
    case ScheduleKind::kCosine:
      break;
  }
  const std::uint64_t length = schedule.total_steps - schedule.warmup_steps;
  const double x = static_cast<double>(std::min(over, length)) / static_cast<double>(length);
  const double fall = schedule.kind == ScheduleKind::kLinear ? 1 - x : (1 + std::cos(std::numbers::pi * x)) / 2;
  return schedule.final_share + (1 - schedule.final_share) * fall;
}

}  // namespace linn
