#include "linn/layers/embedding_lookup.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <vector>

#include "layer_test.h"

namespace linn {
namespace {

using Ids = std::vector<std::uint32_t>;

TEST(EmbeddingLookup, GradientOfTheTable) {
  Matrix table = random_matrix(6, 3, 1);
  const Ids ids = {4, 1, 4, 0, 4};
  const Matrix dx = random_matrix(5, 3, 2);
  Matrix x(5, 3);
  RowGradients gradients;
  gradients.clear();
  gradients.add(ids, dx.view());
  gradients.merge();
  const Ids rows(gradients.rows().begin(), gradients.rows().end());
  EXPECT_EQ(rows, (Ids{0, 1, 4}));
  // The gradient of the whole table is zero elsewhere.
  Matrix dense(6, 3);
  scatter_rows(gradients.values(), gradients.rows(), dense.view());
  EXPECT_TRUE(gradient_matches(table.span(), dense.span(), [&] {
    gather_rows(table.view(), ids, x.view());
    return weighted_sum(x.span(), dx.span());
  }));
}

TEST(EmbeddingLookup, MergesSeveralLookupsInOrder) {
  Random random(3);
  RowGradients gradients;
  for (int round = 0; round < 50; ++round) {
    std::map<std::uint32_t, std::vector<float>> expected;
    std::vector<Ids> ids(3);
    std::vector<Matrix> parts;
    gradients.clear();
    for (std::size_t part = 0; part < 3; ++part) {
      ids[part].resize(random.below(12));
      for (std::uint32_t& id : ids[part]) id = static_cast<std::uint32_t>(random.below(8));
      parts.push_back(random_matrix(ids[part].size(), 5, random.next()));
    }
    for (std::size_t part = 0; part < 3; ++part) {
      gradients.add(ids[part], parts[part].view());
      for (std::size_t i = 0; i < ids[part].size(); ++i) {
        std::vector<float>& sum = expected.try_emplace(ids[part][i], 5, 0.0F).first->second;
        for (std::size_t j = 0; j < 5; ++j) sum[j] += parts[part].row(i)[j];
      }
    }
    gradients.merge();
    ASSERT_EQ(gradients.rows().size(), expected.size());
    std::size_t row = 0;
    for (const auto& [id, sum] : expected) {
      EXPECT_EQ(gradients.rows()[row], id);
      // To the bit: the order of the sum is that of the lookups.
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(gradients.values().row(row)[j], sum[j]);
      ++row;
    }
  }
}

TEST(EmbeddingLookup, NothingLookedUp) {
  RowGradients gradients;
  gradients.clear();
  gradients.merge();
  EXPECT_TRUE(gradients.rows().empty());
  EXPECT_EQ(gradients.values().rows, 0U);
}

}  // namespace
}  // namespace linn
