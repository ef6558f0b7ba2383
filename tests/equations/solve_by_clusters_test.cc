#include <gtest/gtest.h>

#include <string>

#include "linn/equations/linn_equation_model.h"

namespace linn {
namespace {

// Vectors around T and -T.
LogicModel planted(std::size_t variables, float noise) {
  LogicModel model(NetworkOptions::paper(8), variables);
  Random random(2);
  model.network.initialize(random);
  for (std::size_t i = 0; i < variables; ++i) {
    for (std::size_t j = 0; j < 8; ++j) {
      const float t = model.network.true_vector()[j];
      model.variables.row(i)[j] = (i % 3 == 0 ? t : -t) + noise * static_cast<float>(random.normal());
    }
  }
  return model;
}

TEST(SolveByClusters, IdentifiesTheTrueClusterBySimilarityToT) {
  const LogicModel model = planted(60, 0.1F);
  for (const ClusterDistance distance : {ClusterDistance::kCosine, ClusterDistance::kEuclidean}) {
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const std::vector<float> p = solve_by_clusters(model, distance, seed);
      for (std::size_t i = 0; i < p.size(); ++i) {
        EXPECT_EQ(p[i] >= 0.5F, i % 3 == 0) << i;
        EXPECT_GE(p[i], 0.0F);
        EXPECT_LE(p[i], 1.0F);
      }
    }
  }
}

TEST(SolveByClusters, VariablesBetweenTheClustersAreLessCertain) {
  LogicModel model = planted(60, 0.05F);
  // Moves one variable close to the origin.
  for (std::size_t j = 0; j < 8; ++j) model.variables.row(0)[j] *= 0.1F;
  const std::vector<float> p = solve_by_clusters(model, ClusterDistance::kEuclidean, 0);
  EXPECT_GE(p[0], 0.5F);
  EXPECT_LT(p[0], 0.7F);
  EXPECT_GT(p[3], 0.8F);
}

TEST(SolveByClusters, HandlesOneVariableAndNone) {
  const std::vector<float> p = solve_by_clusters(planted(1, 0.0F), ClusterDistance::kCosine, 0);
  ASSERT_EQ(p.size(), 1U);
  EXPECT_GE(p[0], 0.5F);
  EXPECT_TRUE(solve_by_clusters(planted(0, 0.0F), ClusterDistance::kCosine, 0).empty());
}

}  // namespace
}  // namespace linn
