#include "linn/optim/schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn/base/error.h"

namespace linn {
namespace {

TEST(Schedule, Constant) {
  for (const std::uint64_t step : {1, 2, 1000000}) EXPECT_EQ(learning_rate_share({}, step), 1);
}

TEST(Schedule, WarmUp) {
  const Schedule schedule{.warmup_steps = 4};
  EXPECT_EQ(learning_rate_share(schedule, 1), 0.25);
  EXPECT_EQ(learning_rate_share(schedule, 3), 0.75);
  EXPECT_EQ(learning_rate_share(schedule, 4), 1);
  EXPECT_EQ(learning_rate_share(schedule, 5), 1);
}

TEST(Schedule, Linear) {
  const Schedule schedule{.kind = ScheduleKind::kLinear, .warmup_steps = 10, .total_steps = 20, .final_share = 0.2};
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 5), 0.5);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 11), 1);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 12), 0.92);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 16), 0.6);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 20), 0.28);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 21), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 500), 0.2);
}

TEST(Schedule, Cosine) {
  const Schedule schedule{.kind = ScheduleKind::kCosine, .total_steps = 8};
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 1), 1);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 3), (1 + std::sqrt(0.5)) / 2);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 5), 0.5);
  EXPECT_NEAR(learning_rate_share(schedule, 9), 0, 1e-15);
  EXPECT_NEAR(learning_rate_share(schedule, 100), 0, 1e-15);
}

TEST(Schedule, StepDecay) {
  const Schedule schedule{.kind = ScheduleKind::kStepDecay, .warmup_steps = 2, .decay = 0.5, .period = 3};
  EXPECT_EQ(learning_rate_share(schedule, 1), 0.5);
  EXPECT_EQ(learning_rate_share(schedule, 5), 1);
  EXPECT_EQ(learning_rate_share(schedule, 6), 0.5);
  EXPECT_EQ(learning_rate_share(schedule, 8), 0.5);
  EXPECT_EQ(learning_rate_share(schedule, 9), 0.25);
}

TEST(Schedule, Check) {
  EXPECT_NO_THROW(check(Schedule{}));
  EXPECT_NO_THROW(check({.kind = ScheduleKind::kLinear, .total_steps = 1}));
  EXPECT_THROW(check({.kind = ScheduleKind::kLinear}), InputError);
  EXPECT_THROW(check({.kind = ScheduleKind::kCosine, .warmup_steps = 5, .total_steps = 5}), InputError);
  EXPECT_THROW(check({.kind = ScheduleKind::kCosine, .total_steps = 5, .final_share = 2}), InputError);
  EXPECT_THROW(check({.kind = ScheduleKind::kStepDecay, .decay = 0.5}), InputError);
  EXPECT_THROW(check({.kind = ScheduleKind::kStepDecay, .decay = 0, .period = 2}), InputError);
}

}  // namespace
}  // namespace linn
