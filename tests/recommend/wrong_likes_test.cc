#include "linn/recommend/protocol/wrong_likes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn/base/random.h"

namespace linn {
namespace {

// Likes as the model of wrong_likes.h makes them, of items with normal scores of this deviation; the model that is
// asked is so many times surer of itself than it should be.
WrongLikes made_likes(double share, double deviation, double oversure) {
  Random random(4);
  WrongLikes likes;
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
    for (float& score : scores) score *= static_cast<float>(oversure);
    likes.add(scores);
  }
  return likes;
}

TEST(WrongLikes, FindsTheirShare) {
  for (const double share : {0.0, 0.1, 0.3}) {
    for (const double oversure : {0.5, 1.0, 4.0}) {
      EXPECT_NEAR(made_likes(share, 3.0, oversure).share(), share, 0.04) << share << " " << oversure;
    }
  }
}

TEST(WrongLikes, ASureModelAloneMakesNoneOfThemWrong) {
  WrongLikes likes;
  for (int i = 0; i < 100; ++i) likes.add(std::vector<float>{100.0F, 0.0F, -100.0F});
  EXPECT_LT(likes.share(), 1e-3);
  EXPECT_EQ(WrongLikes().share(), 0.0);
  WrongLikes hopeless;
  for (int i = 0; i < 100; ++i) hopeless.add(std::vector<float>{-900.0F, 0.0F, 900.0F});
  EXPECT_NEAR(hopeless.share(), 1.0, 1e-3);
}

TEST(WrongLikes, LooksAtAFewThousand) {
  WrongLikes likes;
  for (int i = 0; i < 5000; ++i) likes.add(std::vector<float>{0.0F, 1.0F});
  EXPECT_EQ(likes.size(), 4000U);
}

}  // namespace
}  // namespace linn
