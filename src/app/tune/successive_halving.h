// How a budget of epochs is spent on many trials: all get a few, the better ones more (successive halving, Jamieson &
// Talwalkar, 2016).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linn::app {

struct Rung {
  std::size_t epochs = 0;  // that every trial of this rung has been trained for at its end
  std::size_t trials = 0;  // that reach it

  friend bool operator==(const Rung&, const Rung&) = default;
};

// The last rung has all epochs, each rung before it a `keep`-th of them and `keep` times the trials, for as many rungs
// as leave an epoch to the first and a trial to the last. `keep` is at least 2.
std::vector<Rung> halving_rungs(std::size_t trials, std::size_t epochs, std::size_t keep = 3);

// The numbers of the trials with the highest scores, so many of them, in ascending order; of equal ones those that come
// first. What is not a number is worse than everything.
std::vector<std::size_t> best_trials(std::span<const std::size_t> trials, std::span<const double> scores,
                                     std::size_t count);

}  // namespace linn::app
