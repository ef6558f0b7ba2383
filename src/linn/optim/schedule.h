// How the learning rate changes over a training.
#pragma once

#include <cstdint>

namespace linn {

enum class ScheduleKind : std::uint8_t {
  kConstant,
  kLinear,  // straight down to the final share
};

// A schedule is a pure function of the step number: the lazy optimizer evaluates past steps again.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  // Of kLinear. After the last step the final share holds.
  std::uint64_t total_steps = 0;
  double final_share = 0;
};

// Throws InputError when the fields contradict each other.
void check(const Schedule& schedule);

// The share of the learning rate that step = 1, 2, ... has. With x the part of the steps before it and f the final
// share, a linear schedule has 1 - (1 - f)·x: the first step has the share 1, and the step after the last would have f.
double learning_rate_share(const Schedule& schedule, std::uint64_t step);

}  // namespace linn
