#include "linn/recommend/protocol/label_noise.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn/base/random.h"

namespace linn {
namespace {

// Likes drawn from the model in label_noise.h, with normally distributed scores of the given deviation, which are then
// multiplied by `overconfidence`.
LabelNoiseEstimate drawn_likes(double share, double deviation, double overconfidence) {
  Random random(4);
  LabelNoiseEstimate likes;
  for (int i = 0; i < 3000; ++i) {
    std::vector<float> scores(50);
    double sum = 0.0;
    for (float& score : scores) {
      score = static_cast<float>(deviation * random.normal());
      sum += std::exp(static_cast<double>(score));
    }
    std::size_t liked = random.below(scores.size());
    if (!random.chance(share)) {
      double left = random.uniform() * sum;
      for (liked = 0; liked + 1 < scores.size(); ++liked) {
        left -= std::exp(static_cast<double>(scores[liked]));
        if (left < 0.0) break;
      }
    }
    std::swap(scores[0], scores[liked]);
    for (float& score : scores) score *= static_cast<float>(overconfidence);
    likes.add(scores);
  }
  return likes;
}

TEST(LabelNoiseEstimate, RecoversTheShareOfWrongLikes) {
  for (const double share : {0.0, 0.1, 0.3}) {
    for (const double overconfidence : {0.5, 1.0, 4.0}) {
      EXPECT_NEAR(drawn_likes(share, 3.0, overconfidence).share(), share, 0.04) << share << " " << overconfidence;
    }
  }
}

TEST(LabelNoiseEstimate, HandlesExtremeScores) {
  LabelNoiseEstimate likes;
  for (int i = 0; i < 100; ++i) likes.add(std::vector<float>{100.0F, 0.0F, -100.0F});
  EXPECT_LT(likes.share(), 1e-3);
  EXPECT_EQ(LabelNoiseEstimate().share(), 0.0);
  LabelNoiseEstimate wrong;
  for (int i = 0; i < 100; ++i) wrong.add(std::vector<float>{-900.0F, 0.0F, 900.0F});
  EXPECT_NEAR(wrong.share(), 1.0, 1e-3);
}

TEST(LabelNoiseEstimate, IgnoresLikesBeyondItsLimit) {
  LabelNoiseEstimate likes;
  for (int i = 0; i < 5000; ++i) likes.add(std::vector<float>{0.0F, 1.0F});
  EXPECT_EQ(likes.size(), 4000U);
}

}  // namespace
}  // namespace linn
