#include "linn/metrics/ranking_metrics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace linn {

Ranking rank_first(std::span<const float> scores) {
  assert(!scores.empty());
  Ranking ranking;
  ranking.others = static_cast<std::uint32_t>(scores.size() - 1);
  const float own = scores[0];
  for (const float other : scores.subspan(1)) {
    // Every comparison with NaN is false.
    ranking.rank += (std::isnan(own) || other >= own) ? 1 : 0;
  }
  return ranking;
}

double ndcg_at(const Ranking& ranking, std::size_t k) {
  return ranking.rank <= k ? 1.0 / std::log2(1.0 + static_cast<double>(ranking.rank)) : 0.0;
}

double hit_at(const Ranking& ranking, std::size_t k) { return ranking.rank <= k ? 1.0 : 0.0; }

double reciprocal_rank(const Ranking& ranking) { return 1.0 / static_cast<double>(ranking.rank); }

double auc(const Ranking& ranking) {
  if (ranking.others == 0) return 1.0;
  return static_cast<double>(ranking.others + 1 - ranking.rank) / static_cast<double>(ranking.others);
}

MeanAndError mean_and_error(std::span<const double> values) {
  MeanAndError result;
  if (values.empty()) return result;
  const auto n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value;
  result.mean /= n;
  if (values.size() < 2) return result;
  double squares = 0.0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.error = std::sqrt(squares / (n - 1.0) / n);
  return result;
}

const RankingMetrics::AtK& RankingMetrics::at_k(std::size_t k) const {
  const auto found = std::find_if(at.begin(), at.end(), [&](const AtK& one) { return one.k == k; });
  assert(found != at.end());
  return *found;
}

RankingMetrics ranking_metrics(std::span<const Ranking> rankings, std::span<const std::size_t> ks) {
  RankingMetrics metrics;
  metrics.count = rankings.size();
  std::vector<double> values(rankings.size());
  const auto over_all = [&](auto measure) {
    std::transform(rankings.begin(), rankings.end(), values.begin(), measure);
    return mean_and_error(values);
  };
  for (const std::size_t k : ks) {
    metrics.at.push_back({k, over_all([k](const Ranking& one) { return ndcg_at(one, k); }),
                          over_all([k](const Ranking& one) { return hit_at(one, k); })});
  }
  metrics.mrr = over_all(reciprocal_rank);
  metrics.auc = over_all(auc);
  return metrics;
}

Metrics mean_metrics(const RankingMetrics& metrics) {
  return {{"ndcg@10", {metrics.at_k(10).ndcg.mean}},
          {"hit@1", {metrics.at_k(1).hit.mean}},
          {"hit@10", {metrics.at_k(10).hit.mean}},
          {"mrr", {metrics.mrr.mean}},
          {"auc", {metrics.auc.mean}}};
}

}  // namespace linn
