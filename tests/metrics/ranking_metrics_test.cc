#include "linn/metrics/ranking_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace linn {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Ranking rank(std::vector<float> scores) { return rank_first(scores); }

TEST(RankFirst, CountsTiesAgainstTheHeldOutItem) {
  EXPECT_EQ(rank({3, 1, 2}), (Ranking{1, 2}));
  EXPECT_EQ(rank({2, 1, 3}), (Ranking{2, 2}));
  EXPECT_EQ(rank({1, 1, 1}), (Ranking{3, 2}));  // a constant model is last
  EXPECT_EQ(rank({1}), (Ranking{1, 0}));
  EXPECT_EQ(rank({0.0F, -0.0F}), (Ranking{2, 1}));
}

TEST(RankFirst, CountsNanAsLowest) {
  EXPECT_EQ(rank({0, kNan, 1}), (Ranking{2, 2}));
  EXPECT_EQ(rank({kNan, -kInfinity, 1}), (Ranking{3, 2}));
  EXPECT_EQ(rank({kNan, kNan}), (Ranking{2, 1}));
  EXPECT_EQ(rank({-kInfinity, kNan, kInfinity}), (Ranking{2, 2}));
}

TEST(RankingMetrics, OfOneRanking) {
  const Ranking third = {3, 100};
  EXPECT_DOUBLE_EQ(ndcg_at(third, 10), 0.5);  // 1 / log2(4)
  EXPECT_DOUBLE_EQ(ndcg_at(third, 3), 0.5);
  EXPECT_DOUBLE_EQ(ndcg_at(third, 2), 0.0);
  EXPECT_DOUBLE_EQ(ndcg_at({1, 100}, 10), 1.0);
  EXPECT_DOUBLE_EQ(hit_at(third, 3), 1.0);
  EXPECT_DOUBLE_EQ(hit_at(third, 1), 0.0);
  EXPECT_DOUBLE_EQ(reciprocal_rank(third), 1.0 / 3.0);
  EXPECT_DOUBLE_EQ(auc(third), 0.98);
  EXPECT_DOUBLE_EQ(auc({101, 100}), 0.0);
  EXPECT_DOUBLE_EQ(auc({1, 0}), 1.0);
}

TEST(RankingMetrics, AreMeansWithStandardErrors) {
  const std::vector<Ranking> rankings = {{1, 9}, {3, 9}, {7, 9}, {10, 9}};
  const std::vector<std::size_t> ks = {1, 3};
  const RankingMetrics metrics = ranking_metrics(rankings, ks);
  EXPECT_EQ(metrics.count, 4U);
  EXPECT_DOUBLE_EQ(metrics.at_k(1).hit.mean, 0.25);
  EXPECT_DOUBLE_EQ(metrics.at_k(1).hit.error, 0.25);  // sqrt(0.75 / 3 / 4)
  EXPECT_DOUBLE_EQ(metrics.at_k(3).ndcg.mean, 0.375);
  EXPECT_DOUBLE_EQ(metrics.mrr.mean, (1.0 + 1.0 / 3 + 1.0 / 7 + 0.1) / 4);
  EXPECT_DOUBLE_EQ(metrics.auc.mean, (1.0 + 7.0 / 9 + 3.0 / 9 + 0.0) / 4);
  EXPECT_EQ(ranking_metrics({}, ks).count, 0U);
  EXPECT_EQ(mean_and_error(std::vector<double>{2.0}).error, 0.0);
}

}  // namespace
}  // namespace linn
