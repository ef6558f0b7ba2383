#include "linn/recommend/protocol/label_noise.h"

#include <cmath>
#include <limits>

namespace linn {
namespace {

// The probability of choosing the liked item.
struct Choice {
  double correct = 0.0;  // softmax
  double wrong = 0.0;    // 1/n
};

double likelihood(const Choice& choice, double share) { return (1.0 - share) * choice.correct + share * choice.wrong; }

// Expectation maximization over the share alone, which has a single maximum.
double fit_share(std::span<const Choice> choices) {
  constexpr int kRounds = 100;
  double share = 0.1;
  for (int round = 0; round < kRounds; ++round) {
    double wrong = 0.0;
    for (const Choice& choice : choices) wrong += share * choice.wrong / likelihood(choice, share);
    share = wrong / static_cast<double>(choices.size());
  }
  return share;
}

double log_likelihood(std::span<const Choice> choices, double share) {
  double sum = 0.0;
  for (const Choice& choice : choices) sum += std::log(likelihood(choice, share));
  return sum;
}

}  // namespace

void LabelNoiseEstimate::add(std::span<const float> scores) {
  if (size() == kMost) return;
  starts_.push_back(scores_.size());
  scores_.insert(scores_.end(), scores.begin(), scores.end());
}

double LabelNoiseEstimate::share() const {
  if (starts_.empty()) return 0.0;
  double best_share = 0.0;
  double best_fit = -std::numeric_limits<double>::infinity();
  std::vector<Choice> choices(size());
  for (const double temperature : {0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0}) {
    for (std::size_t i = 0; i < size(); ++i) {
      const std::size_t end = i + 1 < size() ? starts_[i + 1] : scores_.size();
      const auto group = std::span(scores_).subspan(starts_[i], end - starts_[i]);
      double sum = 0.0;
      for (const float score : group) sum += std::exp(static_cast<double>(score - group[0]) / temperature);
      choices[i] = {1.0 / sum, 1.0 / static_cast<double>(group.size())};
    }
    const double share = fit_share(choices);
    const double fit = log_likelihood(choices, share);
    if (fit > best_fit) {
      best_fit = fit;
      best_share = share;
    }
  }
  return best_share;
}

}  // namespace linn
