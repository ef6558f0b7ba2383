// Successive halving (Jamieson & Talwalkar, 2016): all trials train for a few epochs, the better ones for more.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace linn::app {

struct Rung {
  std::size_t epochs = 0;  // of every trial at the end of this rung
  std::size_t trials = 0;  // in this rung

  friend bool operator==(const Rung&, const Rung&) = default;
};

// The last rung has all epochs; each rung before it has 1/keep of the epochs and keep times the trials. There are as
// many rungs as leave one epoch for the first and one trial for the last. `keep` is at least 2.
std::vector<Rung> halving_rungs(std::size_t trials, std::size_t epochs, std::size_t keep = 3);

// The `count` trials with the highest scores, in ascending order; of equal scores the first. NaN is the lowest score.
std::vector<std::size_t> best_trials(std::span<const std::size_t> trials, std::span<const double> scores,
                                     std::size_t count);

}  // namespace linn::app
