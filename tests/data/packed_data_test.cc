#include "linn/data/packed_data.h"

#include <gtest/gtest.h>

#include "linn/data/checksum.h"
#include "linn/data/generate_equations.h"
#include "linn/data/generate_interactions.h"
#include "linn/logic/print.h"

namespace linn {
namespace {

TEST(PackedData, InteractionsComeBack) {
  InteractionRecipe recipe;
  recipe.users = 20;
  recipe.items = 15;
  recipe.ratings = 130;
  InteractionData data = generate_interactions(recipe).data;
  data.titles = std::vector<std::string>(data.items.size(), "a title");
  data.titles[3].clear();
  data.categories = {{"genre", std::vector<std::string>(data.items.size(), "x|y")}};
  data.earlier = 7;
  InteractionData copy;
  unpack(pack(data), copy);
  EXPECT_EQ(checksum(copy), checksum(data));
  EXPECT_EQ(copy.users.names(), data.users.names());
  EXPECT_EQ(copy.items.names(), data.items.names());
  EXPECT_EQ(copy.titles, data.titles);
  EXPECT_EQ(copy.categories[0].name, "genre");
  EXPECT_EQ(copy.categories[0].values, data.categories[0].values);
  EXPECT_EQ(copy.train, data.train);
  EXPECT_EQ(copy.validation, data.validation);
  EXPECT_EQ(copy.test, data.test);
  EXPECT_EQ(copy.earlier, 7U);
}

TEST(PackedData, EquationsComeBackWithTheSameNumbers) {
  EquationRecipe recipe;
  recipe.variables = 20;
  recipe.equations = 100;
  EquationData data = generate_equations(recipe);
  const Expr a = data.pool.variable("a");
  const Expr b = data.pool.variable("b");
  data.test.add(data.pool.chain(Op::kIff, std::vector<Expr>{data.pool.negation(a), b, data.pool.constant(true)}),
                0.25F);
  data.truth->push_back(std::nullopt);
  data.earlier = 3;
  data.unsplit = true;
  EquationData copy;
  unpack(pack(data), copy);
  EXPECT_EQ(checksum(copy), checksum(data));
  EXPECT_EQ(copy.pool.size(), data.pool.size());
  EXPECT_EQ(copy.pool.variables().names(), data.pool.variables().names());
  EXPECT_EQ(copy.test.expressions, data.test.expressions);
  EXPECT_EQ(copy.test.labels, data.test.labels);
  EXPECT_EQ(to_string(copy.pool, copy.test.expressions.back()), to_string(data.pool, data.test.expressions.back()));
  EXPECT_EQ(copy.truth, data.truth);
  EXPECT_EQ(copy.earlier, 3U);
  EXPECT_TRUE(copy.unsplit);
}

}  // namespace
}  // namespace linn
