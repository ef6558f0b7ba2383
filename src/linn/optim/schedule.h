// How the learning rate changes in the course of a training.
#pragma once

#include <cstdint>

namespace linn {

enum class ScheduleKind : std::uint8_t {
  kConstant,
  kLinear,     // straight down to the final share
  kCosine,     // half a cosine wave down to the final share
  kStepDecay,  // times a factor after each period
};

// A schedule is a pure function of the step number: the optimizer may ask for a step again, long after it was made.
struct Schedule {
  ScheduleKind kind = ScheduleKind::kConstant;
  // Any kind can begin with a straight rise from 0: step s of w has the share s / w.
  std::uint64_t warmup_steps = 0;
  // The steps of the whole training, warm-up included. For kLinear and kCosine; from there on the final share holds.
  std::uint64_t total_steps = 0;
  double final_share = 0;
  // For kStepDecay.
  double decay = 1;
  std::uint64_t period = 0;  // in steps, as a rule an epoch; counted from the end of the warm-up
};

// Throws InputError when the fields contradict each other.
void check(const Schedule& schedule);

// The share of the learning rate that step = 1, 2, ... has. With x the part of the steps after the warm-up that are
// over before it and f the final share:
//   linear 1 - (1 - f)·x,   cosine f + (1 - f)·(1 + cos πx) / 2,   step decay decay^(whole periods)
// so that the first step after the warm-up has the share 1 and the step after the last one would have f.
double learning_rate_share(const Schedule& schedule, std::uint64_t step);

}  // namespace linn
