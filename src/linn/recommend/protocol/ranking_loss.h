// The losses of groups of scores: a liked item and its negatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/nn/losses.h"

namespace linn {

enum class RankingLoss : std::uint8_t {
  kBpr,      // -log sigmoid(x+ - x-); LINN may take it on the similarity, as the paper does
  kSoftmax,  // -log of the softmax of the liked item in its group
};

struct RankingLossOptions {
  RankingLoss loss = RankingLoss::kBpr;
  BprOn bpr_on = BprOn::kScore;
  double label_noise = 0.0;  // share of likes expected to be wrong
};

// Scores in the order of RankingBatch::items: group by group, the liked item first. Writes the gradients of the scores
// and returns the loss, summed over the groups; BPR is summed over all pairs of a liked item and one of its negatives.
//
// A wrong like tells nothing: where the loss is -log p, p the probability that the liked one of n items comes first, a
// share e of wrong likes makes it -log((1 - e) p + e / n), which is bounded.
double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores);

}  // namespace linn
