#include "linn/metrics/paired_test.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace linn {
namespace {

// Extra hours of sleep of ten patients under two drugs (Student, 1908), with the textbook results.
const std::vector<double> kFirst = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
const std::vector<double> kSecond = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};

TEST(PairedTest, GivesStudentsOwnResult) {
  const PairedTest test = paired_test(kFirst, kSecond);
  EXPECT_EQ(test.count, 10U);
  EXPECT_NEAR(test.difference, 1.58, 1e-12);
  EXPECT_NEAR(test.t, 4.062128, 1e-6);
  EXPECT_NEAR(test.p, 0.00283289, 1e-8);
  EXPECT_NEAR(test.low, 0.7001142, 1e-6);
  EXPECT_NEAR(test.high, 2.4598858, 1e-6);
  const PairedTest turned = paired_test(kSecond, kFirst);
  EXPECT_DOUBLE_EQ(turned.p, test.p);
  EXPECT_DOUBLE_EQ(turned.low, -test.high);
}

TEST(PairedTest, KnowsTheTablesOfStudentsT) {
  // With two differences t has one degree of freedom: p = 1 - 2 atan(t) / pi, and t at 97.5 % is 12.7062.
  const PairedTest test = test_differences(std::vector<double>{1.0, 3.0});
  EXPECT_NEAR(test.t, 2.0, 1e-12);
  EXPECT_NEAR(test.p, 1.0 - 2.0 * std::atan(2.0) / M_PI, 1e-12);
  EXPECT_NEAR(test.high, 2.0 + 12.706204736, 1e-8);
  // An extreme p-value, where 1 - cdf would be rounding error.
  std::vector<double> sure;
  for (int i = 0; i < 200; ++i) sure.push_back(1.0 + (i % 2 == 0 ? 0.5 : -0.5));
  EXPECT_GT(test_differences(sure).p, 0.0);
  EXPECT_LT(test_differences(sure).p, 1e-60);
}

TEST(PairedTest, HandlesDegenerateInput) {
  EXPECT_EQ(test_differences(std::vector<double>{}).p, 1.0);
  const PairedTest one = test_differences(std::vector<double>{0.3});
  EXPECT_EQ(one.p, 1.0);
  EXPECT_TRUE(std::isinf(one.low) && std::isinf(one.high));
  EXPECT_EQ(test_differences(std::vector<double>{0.0, 0.0, 0.0}).p, 1.0);
  const PairedTest same = test_differences(std::vector<double>{0.5, 0.5});
  EXPECT_EQ(same.p, 0.0);
  EXPECT_EQ(same.low, 0.5);
}

TEST(SeedsAndUsers, AveragesOverTheOther) {
  // Two seeds, three users.
  const std::vector<std::vector<double>> a = {{1, 0, 1}, {1, 1, 0}};
  const std::vector<std::vector<double>> b = {{0, 0, 1}, {1, 0, 0}};
  const SeedsAndUsersTest test = seeds_and_users_test(a, b);
  EXPECT_EQ(test.over_users.count, 3U);
  EXPECT_EQ(test.over_seeds.count, 2U);
  EXPECT_NEAR(test.over_users.difference, 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(test.over_seeds.difference, 1.0 / 3.0, 1e-12);
  const PairedTest users = test_differences(std::vector<double>{0.5, 0.5, 0.0});
  EXPECT_DOUBLE_EQ(test.over_users.p, users.p);
  EXPECT_DOUBLE_EQ(test.over_seeds.error, 0.0);  // 1/3 in both
  // One run against two: only the test over users applies.
  EXPECT_EQ(seeds_and_users_test(std::span(a).first(1), b).over_seeds.count, 0U);
}

TEST(Bootstrap, AgreesWithStudentWhereValuesAreMany) {
  Random random(4);
  std::vector<double> values(400);
  for (double& value : values) value = 0.2 + random.normal();
  const PairedTest test = test_differences(values);
  const Interval interval = bootstrap_interval(values, random, 4000);
  EXPECT_NEAR(interval.low, test.low, 0.02);
  EXPECT_NEAR(interval.high, test.high, 0.02);
  const Interval certain = bootstrap_interval(std::vector<double>{3.0, 3.0}, random, 10);
  EXPECT_EQ(certain.low, 3.0);
  EXPECT_EQ(certain.high, 3.0);
}

// The coverage of the interval matches its confidence.
TEST(PairedTest, IntervalsHaveTheirNominalCoverage) {
  Random random(8);
  int misses = 0;
  constexpr int kTrials = 2000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> values(5);
    for (double& value : values) value = 1.0 + random.normal();
    const PairedTest test = test_differences(values);
    misses += test.low > 1.0 || test.high < 1.0 ? 1 : 0;
  }
  EXPECT_NEAR(misses, 0.05 * kTrials, 30);
}

TEST(MeanByUser, CountsEveryUserOnceInTheirOrder) {
  const std::vector<std::string> users = {"ann", "bob", "ann", "cid", "ann"};
  const std::vector<double> values = {1.0, 5.0, 2.0, 7.0, 6.0};
  EXPECT_EQ(mean_by_user(std::span(users), values), (std::vector<double>{3.0, 5.0, 7.0}));
  EXPECT_TRUE(mean_by_user(std::span<const int>(), {}).empty());
}

}  // namespace
}  // namespace linn
