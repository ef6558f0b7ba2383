#include "linn/recommend/protocol/ranking_loss.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn/base/random.h"

namespace linn {
namespace {

TEST(RankingLoss, SumsPairsOrGroups) {
  const std::vector<float> scores = {1.0F, 0.5F, -1.0F, 0.0F, 2.0F, 0.3F};  // two groups of three
  std::vector<float> d(6);
  const auto log_sigmoid = [](double x) { return -std::log1p(std::exp(-x)); };
  const double bpr = ranking_loss({RankingLoss::kBpr, BprOn::kScore}, scores, 3, d);
  EXPECT_NEAR(bpr, -(log_sigmoid(0.5) + log_sigmoid(2.0) + log_sigmoid(-2.0) + log_sigmoid(-0.3)), 1e-6);
  const double softmax = ranking_loss({RankingLoss::kSoftmax, BprOn::kScore}, scores, 3, d);
  EXPECT_NEAR(softmax,
              -(1.0 - std::log(std::exp(1.0) + std::exp(0.5) + std::exp(-1.0))) +
                  std::log(std::exp(0.0) + std::exp(2.0) + std::exp(0.3)),
              1e-6);
}

TEST(RankingLoss, IsBoundedUnderLabelNoise) {
  std::vector<float> d(3);
  // The liked item ranks last by far: only label noise explains it.
  const std::vector<float> hopeless = {-50.0F, 0.0F, 0.0F};
  EXPECT_NEAR(ranking_loss({RankingLoss::kSoftmax, BprOn::kScore, 0.3}, hopeless, 3, d), -std::log(0.1), 1e-6);
  for (const float slope : d) EXPECT_NEAR(slope, 0.0F, 1e-6F);
  EXPECT_NEAR(ranking_loss({RankingLoss::kBpr, BprOn::kScore, 0.3}, hopeless, 3, d), -2.0 * std::log(0.15), 1e-6);
  // Between two equal items, noise makes no difference.
  const std::vector<float> even = {1.0F, 1.0F};
  std::vector<float> d_even(2);
  EXPECT_NEAR(ranking_loss({RankingLoss::kSoftmax, BprOn::kScore, 0.3}, even, 2, d_even), std::log(2.0), 1e-6);
}

TEST(RankingLoss, GradientsMatchFiniteDifferences) {
  Random random(2);
  std::vector<float> scores(12);
  for (float& score : scores) score = static_cast<float>(random.normal());
  for (const RankingLossOptions options : {RankingLossOptions{RankingLoss::kBpr, BprOn::kScore},
                                           {RankingLoss::kBpr, BprOn::kSimilarity},
                                           {RankingLoss::kSoftmax, BprOn::kScore},
                                           {RankingLoss::kBpr, BprOn::kScore, 0.1},
                                           {RankingLoss::kSoftmax, BprOn::kScore, 0.2}}) {
    std::vector<float> d(12);
    std::vector<float> ignored(12);
    ranking_loss(options, scores, 4, d);
    for (std::size_t i = 0; i < scores.size(); ++i) {
      constexpr float kStep = 1e-2F;
      std::vector<float> moved = scores;
      moved[i] = scores[i] + kStep;
      const double above = ranking_loss(options, moved, 4, ignored);
      moved[i] = scores[i] - kStep;
      const double below = ranking_loss(options, moved, 4, ignored);
      EXPECT_NEAR(d[i], (above - below) / (2.0 * static_cast<double>(kStep)), 1e-3);
    }
  }
}

}  // namespace
}  // namespace linn
