// Ranking metrics for one held-out item among others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/metrics/metric.h"

namespace linn {

struct Ranking {
  std::uint32_t rank = 1;    // of the held-out item, from 1
  std::uint32_t others = 0;  // number of items it was ranked among

  friend bool operator==(const Ranking&, const Ranking&) = default;
};

// The first score is that of the held-out item. Ties count against it, so that a constant model ranks it last, not
// first; NaN counts as the lowest score.
Ranking rank_first(std::span<const float> scores);

// The metrics of one ranking, all in [0, 1]. One item is relevant, so the ideal DCG is 1.
double ndcg_at(const Ranking& ranking, std::size_t k);  // 1 / log2(1 + rank) if within the first k
double hit_at(const Ranking& ranking, std::size_t k);
double reciprocal_rank(const Ranking& ranking);
double auc(const Ranking& ranking);  // fraction of the others ranked below it; 1 without others

struct MeanAndError {
  double mean = 0.0;
  double error = 0.0;  // standard error of the mean; 0 for fewer than two values
};
MeanAndError mean_and_error(std::span<const double> values);

struct RankingMetrics {
  struct AtK {
    std::size_t k = 0;
    MeanAndError ndcg, hit;
  };
  std::vector<AtK> at;  // one per requested k
  MeanAndError mrr, auc;
  std::size_t count = 0;

  // The metrics at one of the requested k.
  const AtK& at_k(std::size_t k) const;
};

RankingMetrics ranking_metrics(std::span<const Ranking> rankings, std::span<const std::size_t> ks);

// The means that describe a model in short: ndcg@10, hit@1, hit@10, mrr and auc. The metrics must be for these k.
inline constexpr std::array<std::size_t, 2> kMeanMetricKs = {1, 10};
Metrics mean_metrics(const RankingMetrics& metrics);

}  // namespace linn
