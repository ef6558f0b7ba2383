// Whether one model is better than another on the same questions, or whether that may be chance.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "linn/base/random.h"

namespace linn {

// Of a mean of differences: Student's t with one degree of freedom less than there are differences.
struct PairedTest {
  std::size_t count = 0;
  double difference = 0.0;  // the mean
  double error = 0.0;       // its standard error
  double t = 0.0;
  double p = 1.0;    // of a mean so far from 0 or farther, on either side, if the true one is 0
  double low = 0.0;  // the interval that holds the true mean with the given confidence
  double high = 0.0;
};

// Whether the mean of the differences is zero. With fewer than two of them nothing is known: p is 1 and the interval
// without end. If all are the same, and not 0, p is 0.
PairedTest test_differences(std::span<const double> differences, double confidence = 0.95);

// a - b, value by value.
PairedTest paired_test(std::span<const double> a, std::span<const double> b, double confidence = 0.95);

// Each user's value, averaged over the runs, which must have the same users. There must be a run.
std::vector<double> mean_over_runs(std::span<const std::vector<double>> runs);

// Each user's mean, users in the order in which they first come: several held-out items of one user are no independent
// questions. A value for each of `users`.
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

// Several runs of each model (seeds), each with a value for every user, the same users in the same order. Values of one
// user under different seeds are no independent questions, so there are two tests: over users, with each user's values
// averaged over the seeds (would other users say the same of these trained models?), and over seeds, with each run's
// values averaged over the users (would other seeds say the same about these users?).
struct SeedsAndUsersTest {
  PairedTest over_users;
  PairedTest over_seeds;  // runs are paired in order; count is 0 where the models have not equally many
};
SeedsAndUsersTest seeds_and_users_test(std::span<const std::vector<double>> a, std::span<const std::vector<double>> b,
                                       double confidence = 0.95);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

// Of the mean, by drawing as many values with replacement again and again (percentiles): does not take the values to be
// anything like normal.
Interval bootstrap_interval(std::span<const double> values, Random& random, std::size_t draws = 10'000,
                            double confidence = 0.95);

}  // namespace linn
