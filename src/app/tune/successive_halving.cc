#include "app/tune/successive_halving.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace linn::app {

std::vector<Rung> halving_rungs(std::size_t trials, std::size_t epochs, std::size_t keep) {
  assert(keep >= 2);
  std::vector<Rung> rungs = {{epochs, trials}};
  while (rungs.back().trials >= keep && rungs.front().epochs >= keep) {
    for (Rung& rung : rungs) rung.trials /= keep;
    rungs.insert(rungs.begin(), {rungs.front().epochs / keep, trials});
  }
  return rungs;
}

std::vector<std::size_t> best_trials(std::span<const std::size_t> trials, std::span<const double> scores,
                                     std::size_t count) {
  std::vector<std::size_t> order(trials.begin(), trials.end());
  const auto score = [&](std::size_t trial) {
    return std::isnan(scores[trial]) ? -std::numeric_limits<double>::infinity() : scores[trial];
  };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return score(a) > score(b); });
  order.resize(std::min(count, order.size()));
  std::ranges::sort(order);
  return order;
}

}  // namespace linn::app
