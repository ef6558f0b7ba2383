#include "linn/optim/schedule.h"

#include <gtest/gtest.h>

#include "linn/base/error.h"

namespace linn {
namespace {

TEST(Schedule, Constant) {
  for (const std::uint64_t step : {1, 2, 1000000}) EXPECT_EQ(learning_rate_share({}, step), 1);
}

TEST(Schedule, Linear) {
  const Schedule schedule{.kind = ScheduleKind::kLinear, .total_steps = 10, .final_share = 0.2};
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 1), 1);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 2), 0.92);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 6), 0.6);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 10), 0.28);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 11), 0.2);
  EXPECT_DOUBLE_EQ(learning_rate_share(schedule, 500), 0.2);
}

TEST(Schedule, Check) {
  EXPECT_NO_THROW(check(Schedule{}));
  EXPECT_NO_THROW(check({.kind = ScheduleKind::kLinear, .total_steps = 1}));
  EXPECT_THROW(check({.kind = ScheduleKind::kLinear}), InputError);
  EXPECT_THROW(check({.kind = ScheduleKind::kLinear, .total_steps = 5, .final_share = 2}), InputError);
}

}  // namespace
}  // namespace linn
