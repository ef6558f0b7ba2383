#include "linn/metrics/paired_test.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cassert>
#include <cmath>
#include <limits>

#include "linn/metrics/ranking_metrics.h"

namespace linn {

std::vector<double> mean_over_runs(std::span<const std::vector<double>> runs) {
  std::vector<double> means(runs.front().size(), 0.0);
  for (const auto& run : runs) {
    assert(run.size() == means.size());
    for (std::size_t i = 0; i < means.size(); ++i) means[i] += run[i];
  }
  for (double& mean : means) mean /= static_cast<double>(runs.size());
  return means;
}

PairedTest test_differences(std::span<const double> differences, double confidence) {
  PairedTest test;
  test.count = differences.size();
  const MeanAndError mean = mean_and_error(differences);
  test.difference = mean.mean;
  test.error = mean.error;
  if (test.count < 2) {
    test.low = -std::numeric_limits<double>::infinity();
    test.high = std::numeric_limits<double>::infinity();
    return test;
  }
  if (test.error == 0.0) {
    test.low = test.high = test.difference;
    test.t = test.difference == 0.0 ? 0.0 : std::copysign(std::numeric_limits<double>::infinity(), test.difference);
    test.p = test.difference == 0.0 ? 1.0 : 0.0;
    return test;
  }
  const boost::math::students_t distribution(static_cast<double>(test.count - 1));
  test.t = test.difference / test.error;
  test.p = 2.0 * boost::math::cdf(boost::math::complement(distribution, std::abs(test.t)));
  const double reach =
      test.error * boost::math::quantile(boost::math::complement(distribution, (1.0 - confidence) / 2.0));
  test.low = test.difference - reach;
  test.high = test.difference + reach;
  return test;
}

PairedTest paired_test(std::span<const double> a, std::span<const double> b, double confidence) {
  assert(a.size() == b.size());
  std::vector<double> differences(a.size());
  std::transform(a.begin(), a.end(), b.begin(), differences.begin(), std::minus<>());
  return test_differences(differences, confidence);
}

SeedsAndUsersTest seeds_and_users_test(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b,
                                       double confidence) {
  assert(!a.empty() && !b.empty());
  SeedsAndUsersTest test;
  test.over_users = paired_test(mean_over_runs(a), mean_over_runs(b), confidence);
  if (a.size() != b.size()) return test;
  std::vector<double> differences;
  for (std::size_t run = 0; run < a.size(); ++run) {
    differences.push_back(mean_and_error(a[run]).mean - mean_and_error(b[run]).mean);
  }
  test.over_seeds = test_differences(differences, confidence);
  return test;
}

Interval bootstrap_interval(std::span<const double> values, Random& random, std::size_t draws, double confidence) {
  assert(!values.empty() && draws > 0);
  std::vector<double> means(draws);
  for (double& mean : means) {
    double sum = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) sum += values[random.below(values.size())];
    mean = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  const auto at = [&](double share) {
    return means[std::min(draws - 1, static_cast<std::size_t>(share * static_cast<double>(draws)))];
  };
  return {at((1.0 - confidence) / 2.0), at(1.0 - (1.0 - confidence) / 2.0)};
}

}  // namespace linn
