#include "linn/recommend/ranking_loss.h"

#include <array>
#include <cassert>

namespace linn {

double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores) {
  assert(group >= 2 && scores.size() % group == 0 && scores.size() == d_scores.size());
  if (options.loss == RankingLoss::kSoftmax) return sampled_softmax(scores, group, d_scores);
  double loss = 0.0;
  for (std::size_t first = 0; first < scores.size(); first += group) {
    d_scores[first] = 0.0F;
    for (std::size_t i = first + 1; i < first + group; ++i) {
      const std::array<float, 2> pair = {scores[first], scores[i]};
      std::array<float, 2> d_pair{};
      loss += bpr(pair, options.bpr_on, d_pair);
      d_scores[first] += d_pair[0];
      d_scores[i] = d_pair[1];
    }
  }
  return loss;
}

}  // namespace linn
