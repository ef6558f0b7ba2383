// Tests whether the difference between two models on the same queries is significant.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "linn/base/random.h"

namespace linn {

// Student's t test of a mean difference, with n - 1 degrees of freedom.
struct PairedTest {
  std::size_t count = 0;
  double difference = 0.0;  // mean
  double error = 0.0;       // standard error of the mean
  double t = 0.0;
  double p = 1.0;    // two-sided p-value under a true mean of 0
  double low = 0.0;  // confidence interval of the true mean
  double high = 0.0;
};

// Tests whether the mean difference is zero. With fewer than two differences nothing is known: p is 1 and the interval
// is unbounded. If all are equal and not 0, p is 0.
PairedTest test_differences(std::span<const double> differences, double confidence = 0.95);

// Tests the differences a - b.
PairedTest paired_test(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

// The value of each user averaged over the runs, which must have the same users. There must be at least one run.
std::vector<double> mean_over_runs(std::span<const std::vector<double>> runs);

// The mean value of each user, in order of first occurrence: several held-out items of one user are not independent
// samples. `users` gives the user of each value.
template <class User>
std::vector<double> mean_by_user(std::span<const User> users, std::span<const double> values) {
  std::map<User, std::size_t> places;
  std::vector<double> means;
  std::vector<double> counts;
  for (std::size_t i = 0; i < users.size(); ++i) {
    const auto [place, is_new] = places.emplace(users[i], means.size());
    if (is_new) {
      means.push_back(0.0);
      counts.push_back(0.0);
    }
    means[place->second] += values[i];
    counts[place->second] += 1.0;
  }
  for (std::size_t i = 0; i < means.size(); ++i) means[i] /= counts[i];
  return means;
}

// Compares several runs (seeds) of each model, each with a value for every user, the same users in the same order. The
// values of one user under different seeds are not independent, so there are two tests: over users, with each user's
// values averaged over the seeds (would the trained models compare the same on other users?), and over seeds, with each
// run's values averaged over the users (would other seeds compare the same on these users?).
struct SeedsAndUsersTest {
  PairedTest over_users;
  PairedTest over_seeds;  // runs are paired in order; count is 0 if the models have different numbers of runs
};
SeedsAndUsersTest seeds_and_users_test(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b,
                                       double confidence = 0.95);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// A percentile bootstrap interval of the mean, which does not assume normally distributed values.
Interval bootstrap_interval(std::span<const double> values, Random& random, std::size_t draws = 10'000,
                            double confidence = 0.95);

}  // namespace linn
