#include "linn/metrics/median.h"

#include <gtest/gtest.h>

namespace linn {
namespace {

TEST(Median, IsTheMiddleValueOrTheMeanOfTwo) {
  EXPECT_EQ(median({3.0}), 3.0);
  EXPECT_EQ(median({9.0, 1.0, 2.0}), 2.0);
  EXPECT_EQ(median({9.0, 1.0, 2.0, 4.0}), 3.0);
}

}  // namespace
}  // namespace linn
