#include "linn/recommend/protocol/ranking_loss.h"

#include <array>
#include <cassert>
#include <cmath>

namespace linn {
namespace {

// Turns the loss -log p of a choice among d_scores.size() items, and its gradients, into those under label noise.
double with_label_noise(double label_noise, double loss, std::span<float> d_scores) {
  if (label_noise == 0.0) return loss;
  const double clean = (1.0 - label_noise) * std::exp(-loss);
  const double noisy = clean + label_noise / static_cast<double>(d_scores.size());
  for (float& d : d_scores) d *= static_cast<float>(clean / noisy);
  return -std::log(noisy);
}

}  // namespace

double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores) {
  assert(group >= 2 && scores.size() % group == 0 && scores.size() == d_scores.size());
  double loss = 0.0;
  for (std::size_t first = 0; first < scores.size(); first += group) {
    if (options.loss == RankingLoss::kSoftmax) {
      const std::span<float> d_group = d_scores.subspan(first, group);
      loss +=
          with_label_noise(options.label_noise, sampled_softmax(scores.subspan(first, group), group, d_group), d_group);
      continue;
    }
    d_scores[first] = 0.0F;
    for (std::size_t i = first + 1; i < first + group; ++i) {
      const std::array<float, 2> pair = {scores[first], scores[i]};
      std::array<float, 2> d_pair{};
      loss += with_label_noise(options.label_noise, bpr(pair, options.bpr_on, d_pair), d_pair);
      d_scores[first] += d_pair[0];
      d_scores[i] = d_pair[1];
    }
  }
  return loss;
}

}  // namespace linn
