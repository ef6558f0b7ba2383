#include "linn/train/replay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace linn {
namespace {

TEST(Replay, HasAllLaterExamplesAndAShareOfTheEarlierOnes) {
  Replay replay({0, 1, 2, 3, 4, 5, 6, 7}, {8, 9, 10}, 0.25);
  EXPECT_EQ(replay.size(), 5U);
  Random random(1);
  std::vector<int> drawn(8);
  constexpr int kEpochs = 4000;
  for (int epoch = 0; epoch < kEpochs; ++epoch) {
    const std::vector<std::uint32_t> rows = replay.draw(random);
    ASSERT_EQ(rows.size(), 5U);
    const std::set<std::uint32_t> distinct(rows.begin(), rows.end());
    ASSERT_EQ(distinct.size(), 5U);
    for (const std::uint32_t later : {8U, 9U, 10U}) ASSERT_TRUE(distinct.contains(later));
    for (const std::uint32_t row : rows) {
      if (row < 8) ++drawn[row];
    }
  }
  for (const int count : drawn) EXPECT_NEAR(count, kEpochs / 4, 150);  // five standard deviations
}

TEST(Replay, DependsOnTheStateOfTheRandomNumbersAlone) {
  Replay first({0, 1, 2, 3, 4, 5}, {6}, 0.5);
  Random random(2);
  first.draw(random);
  const Random::State state = random.state();
  const auto next = first.draw(random);
  Replay resumed({0, 1, 2, 3, 4, 5}, {6}, 0.5);
  Random again(0);
  again.set_state(state);
  EXPECT_EQ(resumed.draw(again), next);
}

TEST(Replay, OfNothingDrawsNothing) {
  Random random(3);
  const Random::State state = random.state();
  EXPECT_EQ(Replay({0, 1}, {2, 3}, 0.0).draw(random), (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(random.state(), state);
}

}  // namespace
}  // namespace linn
