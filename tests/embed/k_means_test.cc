#include "linn/embed/k_means.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "layers/layer_test.h"

namespace linn {
namespace {

// The minimum spread over all partitions of a few vectors into two clusters.
double least_spread(const ConstMatrixView& vectors) {
  double least = std::numeric_limits<double>::infinity();
  for (std::uint32_t cut = 0; cut < (1U << (vectors.rows - 1)); ++cut) {
    double spread = 0.0;
    for (const std::uint32_t side : {0U, 1U}) {
      Vector mean(vectors.cols, 0.0);
      double count = 0.0;
      for (std::size_t i = 0; i < vectors.rows; ++i) {
        if (((cut >> i) & 1U) != side) continue;
        count += 1.0;
        for (std::size_t j = 0; j < vectors.cols; ++j) mean[j] += double{vectors.row(i)[j]};
      }
      for (double& value : mean) value /= std::max(count, 1.0);
      for (std::size_t i = 0; i < vectors.rows; ++i) {
        if (((cut >> i) & 1U) != side) continue;
        for (std::size_t j = 0; j < vectors.cols; ++j) spread += std::pow(double{vectors.row(i)[j]} - mean[j], 2);
      }
    }
    least = std::min(least, spread);
  }
  return least;
}

TEST(KMeans, FindsTheOptimalPartitionOfFewVectors) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix vectors = random_matrix(9, 3, seed);
    Random random(seed);
    const Clusters clusters = k_means(vectors.view(), {.distance = ClusterDistance::kEuclidean, .starts = 30}, random);
    EXPECT_NEAR(clusters.spread, least_spread(vectors.view()), 1e-9);
    EXPECT_EQ(clusters.size[0] + clusters.size[1], 9U);
    for (std::size_t i = 0; i < 9; ++i) {
      EXPECT_LE(clusters.distance[i][clusters.cluster[i]], clusters.distance[i][1 - clusters.cluster[i]]);
    }
  }
}

// Two directions with varying lengths: only the cosine separates them.
TEST(KMeans, CosineIgnoresLengths) {
  Matrix vectors(40, 2);
  Random random(3);
  for (std::size_t i = 0; i < 40; ++i) {
    const double angle = (i % 2 == 0 ? 0.0 : 1.0) + 0.1 * random.normal();
    const double length = std::exp(3.0 * random.normal());
    vectors.row(i)[0] = static_cast<float>(length * std::cos(angle));
    vectors.row(i)[1] = static_cast<float>(length * std::sin(angle));
  }
  const Clusters clusters = k_means(vectors.view(), {.distance = ClusterDistance::kCosine}, random);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(clusters.cluster[i] == clusters.cluster[0], i % 2 == 0) << i;
}

TEST(KMeans, TakesFewAndEqualVectors) {
  Random random(1);
  EXPECT_TRUE(k_means({nullptr, 0, 4, 4}, {}, random).cluster.empty());
  Matrix same(5, 3);
  same.fill(0.5F);
  const Clusters clusters = k_means(same.view(), {}, random);
  EXPECT_NEAR(clusters.spread, 0.0, 1e-12);
  EXPECT_EQ(clusters.size[clusters.cluster[0]], 5U);
  same.fill(0.0F);
  EXPECT_EQ(k_means(same.view(), {}, random).spread, 0.0);
}

}  // namespace
}  // namespace linn
