// Ranking losses over groups of scores: a liked item and its negatives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/nn/losses.h"

namespace linn {

enum class RankingLoss : std::uint8_t {
  kBpr,      // -log sigmoid(x+ - x-) over pairs; LINN may compare similarities instead of scores, as in the paper
  kSoftmax,  // -log softmax of the liked item within its group
};

struct RankingLossOptions {
  RankingLoss loss = RankingLoss::kBpr;
  BprOn bpr_on = BprOn::kScore;
  double label_noise = 0.0;  // expected share of wrong likes
};

// Takes scores in the order of RankingBatch::items: group by group, the liked item first. Writes the gradients of the
// scores and returns the loss, summed over the groups; BPR is summed over all pairs of a liked item and a negative.
//
// A wrong like carries no information. If the loss is -log p, with p the probability that the liked item ranks first
// among n, a share e of wrong likes turns it into -log((1 - e) p + e / n), which is bounded.
double ranking_loss(const RankingLossOptions& options, std::span<const float> scores, std::size_t group,
                    std::span<float> d_scores);

}  // namespace linn
