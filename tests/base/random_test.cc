#include "linn/base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <vector>

namespace linn {
namespace {

// The first values of xoshiro256++ from state 1, 2, 3, 4, computed from the authors' definition.
TEST(Random, IsXoshiro256PlusPlus) {
  Random random(0);
  random.set_state({1, 2, 3, 4});
  for (const std::uint64_t expected : {41943041U, 58720359U}) EXPECT_EQ(random.next(), expected);
  EXPECT_EQ(random.next(), 3588806011781223U);
  EXPECT_EQ(random.next(), 3591011842654386U);
  EXPECT_EQ(random.next(), 9228616714210784205U);
}

TEST(Random, StaysTheSameForever) {
  // Data sets and splits depend on these values: if this fails, all of them change.
  Random random(1);
  Random other(1, 2);
  EXPECT_EQ(random.next(), 8089978747140965633U);
  EXPECT_EQ(random.below(1000), 308U);
  EXPECT_EQ(other.next(), 6695473370994778609U);
}

TEST(Random, SeedsAndStreamsDiffer) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) first.insert(Random(seed, stream).next());
  }
  EXPECT_EQ(first.size(), 10'000U);
}

TEST(Random, ResumesFromItsState) {
  Random a(5);
  a.normal();
  Random b(6);
  b.set_state(a.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.normal(), b.normal());
}

RC_GTEST_PROP(Random, BelowAndBetweenKeepTheirBounds,
              (std::uint64_t seed, std::uint64_t bound, std::int64_t x, std::int64_t y)) {
  Random random(seed);
  RC_PRE(bound != 0U);
  const auto [low, high] = std::minmax(x, y);
  for (int i = 0; i < 100; ++i) {
    RC_ASSERT(random.below(bound) < bound);
    const std::int64_t value = random.between(low, high);
    RC_ASSERT(low <= value && value <= high);
  }
  RC_ASSERT(random.below(1) == 0U);
  RC_ASSERT(random.between(x, x) == x);
}

TEST(Random, ExtremeBounds) {
  Random random(3);
  constexpr auto kLow = std::numeric_limits<std::int64_t>::min();
  constexpr auto kHigh = std::numeric_limits<std::int64_t>::max();
  bool negative = false, positive = false, upper_half = false;
  for (int i = 0; i < 200; ++i) {
    const std::int64_t value = random.between(kLow, kHigh);
    negative = negative || value < 0;
    positive = positive || value > 0;
    // Just over half of the range: about every other draw is rejected.
    const std::uint64_t bound = (std::uint64_t{1} << 63U) + 1;
    const std::uint64_t below = random.below(bound);
    ASSERT_LT(below, bound);
    upper_half = upper_half || below > bound / 2;
  }
  EXPECT_TRUE(negative && positive && upper_half);
}

// Pearson's statistic for counts that should be equal.
double chi_square(const std::vector<int>& counts) {
  const double mean = std::accumulate(counts.begin(), counts.end(), 0.0) / static_cast<double>(counts.size());
  double sum = 0.0;
  for (const int count : counts) sum += (count - mean) * (count - mean) / mean;
  return sum;
}

TEST(Random, BelowIsEven) {
  Random random(7);
  std::vector<int> counts(10);
  for (int i = 0; i < 100'000; ++i) ++counts[random.below(10)];
  EXPECT_LT(chi_square(counts), 33.7);  // exceeded with probability 1e-4
}

TEST(Random, ShuffleIsEvenOverAllOrders) {
  Random random(8);
  std::map<std::array<int, 4>, int> seen;
  for (int i = 0; i < 24'000; ++i) {
    std::array<int, 4> values{0, 1, 2, 3};
    random.shuffle(std::span<int>(values));
    ++seen[values];
  }
  ASSERT_EQ(seen.size(), 24U);
  std::vector<int> counts;
  counts.reserve(seen.size());
  for (const auto& [order, count] : seen) counts.push_back(count);
  EXPECT_LT(chi_square(counts), 56.7);  // exceeded with probability 1e-4
}

TEST(Random, UniformAndNormalHaveTheirMoments) {
  Random random(9);
  constexpr int kDraws = 200'000;
  double uniform = 0.0, normal = 0.0, squares = 0.0, beyond = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform();
    ASSERT_TRUE(u >= 0.0 && u < 1.0);
    uniform += u;
    const double z = random.normal();
    ASSERT_TRUE(std::isfinite(z));
    normal += z;
    squares += z * z;
    beyond += std::abs(z) > 1.959964 ? 1.0 : 0.0;
  }
  EXPECT_NEAR(uniform / kDraws, 0.5, 0.004);
  EXPECT_NEAR(normal / kDraws, 0.0, 0.012);
  EXPECT_NEAR(squares / kDraws, 1.0, 0.015);
  EXPECT_NEAR(beyond / kDraws, 0.05, 0.0025);
}

TEST(Random, Chance) {
  Random random(10);
  int hits = 0;
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_FALSE(random.chance(0.0));
    EXPECT_TRUE(random.chance(1.0));
    hits += random.chance(0.2) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 2000, 200);
}

}  // namespace
}  // namespace linn
