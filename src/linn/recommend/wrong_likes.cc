#include "linn/recommend/wrong_likes.h"

#include <algorithm>
#include <cmath>

namespace linn {
namespace {

constexpr std::size_t kMost = 4000;

struct Choice {
  double right = 0.0;   // the softmax of the liked item
  double chance = 0.0;  // one of so many
};

struct Fit {
  double share = 0.0;
  double log_likelihood = 0.0;
};

// Expectation maximisation over the share alone; the likelihood has one maximum.
Fit fit_share(std::span<const Choice> choices) {
  constexpr int kRounds = 100;
  Fit fit{.share = 0.1};
  for (int round = 0; round < kRounds; ++round) {
    double wrong = 0.0;
    fit.log_likelihood = 0.0;
    for (const Choice& choice : choices) {
      const double by_chance = fit.share * choice.chance;
      const double seen = (1.0 - fit.share) * choice.right + by_chance;
      wrong += by_chance / seen;
      fit.log_likelihood += std::log(seen);
    }
    fit.share = wrong / static_cast<double>(choices.size());
  }
  return fit;
}

}  // namespace

void WrongLikes::add(std::span<const float> scores) {
  if (size() == kMost) return;
  starts_.push_back(scores_.size());
  scores_.insert(scores_.end(), scores.begin(), scores.end());
}

double WrongLikes::share() const {
  if (starts_.empty()) return 0.0;
  Fit best;
  bool first = true;
  std::vector<Choice> choices(size());
  for (const double temperature : {0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0}) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t end = i + 1 < size() ? starts_[i + 1] : scores_.size();
      const auto group = std::span(scores_).subspan(starts_[i], end - starts_[i]);
      double sum = 0.0;
      for (const float score : group) sum += std::exp(static_cast<double>(score - group[0]) / temperature);
      choices[i] = {1.0 / sum, 1.0 / static_cast<double>(group.size())};
    }
    const Fit fit = fit_share(choices);
    if (first || fit.log_likelihood > best.log_likelihood) best = fit;
    first = false;
  }
  return best.share;
}

}  // namespace linn
