// The losses of groups of scores: a liked item and its negatives.
#pragma once

#include <cstddef>
#include <span>

#include "linn/nn/losses.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct RankingLossOptions {
  RankingLoss loss = RankingLoss::kBpr;
  BprOn bpr_on = BprOn::kScore;
  double flip_rate = 0.0;  // the share of likes expected to be wrong
};

// Scores in the order of RankingBatch::items: group by group, the liked item first. Writes the gradients of the scores
// and returns the loss, summed over the groups; BPR is summed over all pairs of a liked item and one of its negatives.
//
// A wrong like tells nothing: where the loss is -log p, p the probability that the liked one of n items comes first, a
// share e of wrong likes makes it -log((1 - e) p + e / n), which is bounded.
double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores);

}  // namespace linn
