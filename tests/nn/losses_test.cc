#include "linn/nn/losses.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "linn/base/random.h"

namespace linn {
namespace {

using Loss = std::function<double(std::span<const float> scores, std::span<float> d_scores)>;

// Losses are computed in double from float scores, so a step that floats represent exactly gives precise differences.
void expect_gradient(const Loss& loss, std::vector<float> scores) {
  constexpr float kStep = 1.0F / 1024;
  std::vector<float> d_scores(scores.size());
  std::vector<float> ignored(scores.size());
  loss(scores, d_scores);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const float old = scores[i];
    scores[i] = old + kStep;
    const double above = loss(scores, ignored);
    scores[i] = old - kStep;
    const double below = loss(scores, ignored);
    scores[i] = old;
    EXPECT_NEAR(static_cast<double>(d_scores[i]), (above - below) / (2.0 * kStep), 2e-6) << "score " << old;
  }
}

// Multiples of the step, so that adding it is exact.
std::vector<float> random_scores(std::size_t size, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> scores(size);
  for (float& score : scores) score = static_cast<float>(random.between(-6000, 6000)) / 1024.0F;
  return scores;
}

void expect_finite(const Loss& loss, std::vector<float> scores) {
  std::vector<float> d_scores(scores.size());
  EXPECT_TRUE(std::isfinite(loss(scores, d_scores)));
  for (const float d : d_scores) EXPECT_TRUE(std::isfinite(d));
}

const std::vector<float> kLabels = {0.0F, 1.0F, 0.5F, 0.2F, 0.9F, 1.0F, 0.0F, 0.75F};
const std::vector<float> kExtremes = {100.0F, 100.0F, -100.0F, -100.0F, 1e4F, -1e4F, 100.0F, 0.0F};

TEST(CrossEntropy, IsTheFormula) {
  std::vector<float> d_scores(2);
  const double loss = cross_entropy(std::vector{0.0F, 2.0F}, std::vector{1.0F, 0.25F}, 0.0, d_scores);
  const double p = 1.0 / (1.0 + std::exp(-2.0));
  EXPECT_NEAR(loss, std::log(2.0) - 0.25 * std::log(p) - 0.75 * std::log(1.0 - p), 1e-12);
  EXPECT_FLOAT_EQ(d_scores[0], -0.5F);
  EXPECT_FLOAT_EQ(d_scores[1], static_cast<float>(p - 0.25));
}

TEST(CrossEntropy, GradientsMatchDifferences) {
  for (const double rate : {0.0, 0.1, 0.45}) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Loss loss = [&](auto scores, auto d_scores) { return cross_entropy(scores, kLabels, rate, d_scores); };
      expect_gradient(loss, random_scores(kLabels.size(), seed));
    }
  }
}

TEST(CrossEntropy, SurvivesExtremeScores) {
  for (const double rate : {0.0, 0.1}) {
    expect_finite([&](auto s, auto d) { return cross_entropy(s, kLabels, rate, d); }, kExtremes);
  }
  std::vector<float> d_scores(1);
  EXPECT_DOUBLE_EQ(cross_entropy(std::vector{-100.0F}, std::vector{1.0F}, 0.0, d_scores), 100.0);
  EXPECT_EQ(d_scores[0], -1.0F);
}

TEST(ExpectedLogLoss, IsTheFormulaWithItsGradients) {
  constexpr double kRate = 0.1;
  std::vector<float> d_scores(2);
  const double p = 1.0 / (1.0 + std::exp(-2.0));
  const double loss = expected_log_loss(std::vector{2.0F, 2.0F}, std::vector{1.0F, 0.0F}, kRate, d_scores);
  EXPECT_NEAR(loss, -std::log(0.9) - std::log(kRate), 1e-12);  // right with p and 1 - p
  EXPECT_NEAR(d_scores[0], -std::log(9.0) * p * (1.0 - p), 1e-7);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Loss task = [&](auto scores, auto d) { return expected_log_loss(scores, kLabels, kRate, d); };
    expect_gradient(task, random_scores(kLabels.size(), seed));
  }
  expect_finite([&](auto scores, auto d) { return expected_log_loss(scores, kLabels, kRate, d); }, kExtremes);
}

TEST(NegativeEntropy, IsTheFormulaWithItsGradients) {
  std::vector<float> d_scores(2);
  const double p = 1.0 / (1.0 + std::exp(-2.0));
  const double sum = negative_entropy(std::vector{0.0F, 2.0F}, std::vector{1.0F, 0.5F}, d_scores);
  EXPECT_NEAR(sum, -std::log(2.0) + 0.5 * (p * std::log(p) + (1.0 - p) * std::log(1.0 - p)), 1e-12);
  EXPECT_EQ(d_scores[0], 0.0F);  // nothing is less known than a half
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Loss task = [&](auto scores, auto d) { return negative_entropy(scores, kLabels, d); };
    expect_gradient(task, random_scores(kLabels.size(), seed));
  }
  expect_finite([&](auto scores, auto d) { return negative_entropy(scores, kLabels, d); }, kExtremes);
}

TEST(Bpr, IsTheFormula) {
  std::vector<float> d_scores(4);
  // Pairs (1, -1) and (0, 2): positives first.
  const std::vector<float> scores = {1.0F, 0.0F, -1.0F, 2.0F};
  const auto softplus = [](double x) { return std::log(1.0 + std::exp(x)); };
  EXPECT_NEAR(bpr(scores, BprOn::kScore, d_scores), softplus(-2.0) + softplus(2.0), 1e-12);
  EXPECT_FLOAT_EQ(d_scores[1], -d_scores[3]);
  const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
  EXPECT_NEAR(bpr(scores, BprOn::kSimilarity, d_scores),
              softplus(sigmoid(-1.0) - sigmoid(1.0)) + softplus(sigmoid(2.0) - 0.5), 1e-12);
}

TEST(Bpr, GradientsMatchDifferences) {
  for (const BprOn on : {BprOn::kScore, BprOn::kSimilarity}) {
    const Loss loss = [&](auto scores, auto d_scores) { return bpr(scores, on, d_scores); };
    for (std::uint64_t seed = 0; seed < 20; ++seed) expect_gradient(loss, random_scores(8, seed));
    expect_finite(loss, kExtremes);
  }
}

TEST(SampledSoftmax, IsTheFormula) {
  std::vector<float> d_scores(3);
  const double loss = sampled_softmax(std::vector{1.0F, 2.0F, 3.0F}, 3, d_scores);
  const double sum = std::exp(1.0) + std::exp(2.0) + std::exp(3.0);
  EXPECT_NEAR(loss, std::log(sum) - 1.0, 1e-12);
  EXPECT_FLOAT_EQ(d_scores[0], static_cast<float>(std::exp(1.0) / sum - 1.0));
  EXPECT_FLOAT_EQ(d_scores[2], static_cast<float>(std::exp(3.0) / sum));
}

TEST(SampledSoftmax, GradientsMatchDifferences) {
  for (const std::size_t group : {1, 2, 4, 8}) {
    const Loss loss = [&](auto scores, auto d_scores) { return sampled_softmax(scores, group, d_scores); };
    for (std::uint64_t seed = 0; seed < 20; ++seed) expect_gradient(loss, random_scores(8, seed));
    expect_finite(loss, kExtremes);
  }
}

// With one negative it is BPR on scores.
TEST(SampledSoftmax, OfPairsIsBpr) {
  const std::vector<float> pairs = {1.5F, -0.5F, 0.25F, 3.0F};  // positive, negative, positive, negative
  const std::vector<float> positives_first = {1.5F, 0.25F, -0.5F, 3.0F};
  std::vector<float> d_scores(4);
  EXPECT_NEAR(sampled_softmax(pairs, 2, d_scores), bpr(positives_first, BprOn::kScore, d_scores), 1e-12);
}

// By Bayes' rule, case by case.
TEST(ExpectedFlips, AreThePosteriorOfEachLabel) {
  const std::vector<float> p = {0.9F, 0.9F, 0.5F, 0.0F};
  const std::vector<float> labels = {1.0F, 0.0F, 1.0F, 1.0F};
  const double e = 0.1;
  const double expected = e * 0.1 / (e * 0.1 + 0.9 * 0.9) + e * 0.9 / (e * 0.9 + 0.9 * 0.1) + e + 1.0;
  EXPECT_NEAR(expected_wrong_labels(p, labels, e), expected, 1e-6);
  EXPECT_EQ(expected_wrong_labels(p, labels, 0.0), 0.0);
}

}  // namespace
}  // namespace linn
