#include "linn/layers/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "layer_test.h"

namespace linn {
namespace {

TEST(Dropout, Statistics) {
  for (const double rate : {0.1, 0.2, 0.5, 0.9}) {
    const Dropout layer(rate);
    Dropout::Cache cache;
    Random random(5);
    Matrix x(200, 501);
    x.fill(2);
    Matrix y = unset_matrix(200, 501);
    layer.forward(x.view(), &random, y.view(), cache);
    const double size = 200 * 501;
    double kept = 0;
    double kept_pairs = 0;
    for (std::size_t i = 0; i < y.span().size(); ++i) {
      const float value = y.span()[i];
      if (value == 0) continue;
      EXPECT_FLOAT_EQ(value, static_cast<float>(2 / (1 - rate)));
      ++kept;
      if (i > 0 && y.span()[i - 1] != 0) ++kept_pairs;
    }
    // Five standard deviations; neighbours are independent of each other.
    const double keep = 1 - rate;
    EXPECT_NEAR(kept / size, keep, 5 * std::sqrt(rate * keep / size));
    EXPECT_NEAR(kept_pairs / size, keep * keep, 5 * std::sqrt(keep * keep / size));
  }
}

TEST(Dropout, BackwardUsesTheSameMask) {
  const Dropout layer(0.3);
  Dropout::Cache cache;
  Random random(5);
  Matrix x = random_matrix(9, 7, 1);
  Matrix y = unset_matrix(9, 7);
  layer.forward(x.view(), &random, y.view(), cache);
  const Matrix dy = random_matrix(9, 7, 2);
  Matrix dx = unset_matrix(9, 7);
  layer.backward(dy.view(), dx.view(), cache);
  for (std::size_t i = 0; i < 63; ++i) {
    EXPECT_FLOAT_EQ(dx.span()[i] * x.span()[i], dy.span()[i] * y.span()[i]);
    EXPECT_EQ(y.span()[i] == 0, dx.span()[i] == 0);
  }
  // In place.
  Random again(5);
  layer.forward(x.view(), &again, x.view(), cache);
  EXPECT_EQ(values_of(x.span()), values_of(y.span()));
}

TEST(Dropout, IsTheIdentityInEvaluation) {
  Random random(5);
  const Random::State before = random.state();
  const Matrix x = random_matrix(9, 7, 1);
  Dropout::Cache cache;
  for (const auto& [rate, generator] : {std::pair{0.6, static_cast<Random*>(nullptr)}, std::pair{0.0, &random}}) {
    // A cache that was in use for training before.
    Random other(6);
    Matrix y = unset_matrix(9, 7);
    Dropout(0.5).forward(x.view(), &other, y.view(), cache);
    const Dropout layer(rate);
    layer.forward(x.view(), generator, y.view(), cache);
    EXPECT_EQ(values_of(y.span()), values_of(x.span()));
    Matrix dx = unset_matrix(9, 7);
    layer.backward(x.view(), dx.view(), cache);
    EXPECT_EQ(values_of(dx.span()), values_of(x.span()));
  }
  EXPECT_EQ(random.state(), before);
}

TEST(Dropout, CacheIsReusable) {
  const Dropout layer(0.4);
  expect_cache_reusable<Dropout::Cache>([&](const std::vector<std::uint32_t>& lengths, Dropout::Cache& cache) {
    Random random(8);
    const Matrix x = random_matrix(lengths[0], 3, 1);
    Matrix y = unset_matrix(lengths[0], 3);
    Matrix dx = unset_matrix(lengths[0], 3);
    layer.forward(x.view(), &random, y.view(), cache);
    layer.backward(x.view(), dx.view(), cache);
    return joined({y.span(), dx.span()});
  });
}

}  // namespace
}  // namespace linn
