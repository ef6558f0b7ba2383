// The losses of groups of scores: a liked item and its negatives.
#pragma once

#include <cstddef>
#include <span>

#include "linn/nn/losses.h"
#include "linn/recommend/recommender.h"

namespace linn {

struct RankingLossOptions {
  RankingLoss loss = RankingLoss::kBpr;
  BprOn bpr_on = BprOn::kScore;
};

// Scores in the order of RankingBatch::items: group by group, the liked item first. Writes the gradients of the scores
// and returns the loss, summed over the groups; BPR is summed over all pairs of a liked item and one of its negatives.
double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores);

}  // namespace linn
