#include "linn/recommend/linn/cooccurrence.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn_trial.h"

namespace linn {
namespace {

TEST(Cooccurrence, NineItemsFromPopularToRare) {
  ItemCounts counts;
  counts.users = {0, 100, 1, 40, 10, 31, 30, 4, 5, 2, 20, 3, 50, 0};
  Random random(1);
  const auto items = items_over_popularity(counts, random);
  ASSERT_EQ(items.size(), 9U);
  for (std::size_t i = 0; i < 9; ++i) {
    const std::uint32_t users = counts.users[items[i]];
    EXPECT_TRUE(i < 3 ? users > 30 : i < 6 ? users >= 5 && users <= 30 : users > 0 && users < 5) << i << " " << users;
    if (i > 0) EXPECT_LE(users, counts.users[items[i - 1]]);
  }
  // Too few of a class: thirds. At most nine rated items: all of them.
  counts.users.assign(30, 3);
  counts.users[0] = 99;
  EXPECT_EQ(items_over_popularity(counts, random).size(), 9U);
  counts.users.assign(4, 3);
  counts.users[1] = 0;
  EXPECT_EQ(items_over_popularity(counts, random), (std::vector<ItemId>{0, 2, 3}));
}

TEST(Cooccurrence, IsTheTruthOfLikingBoth) {
  const Histories histories(kinds_of_items(20, 40, 12, 5));
  LinnRecommenderOptions options = linn_recommender_preset(Preset::kAuthors, {1000, 0}, 8);
  options.init = 0.4F;
  Context context(1, 1);
  const LinnRecommender model(options, histories, context);
  const std::vector<ItemId> items = {3, 9, 20};
  const auto values = cooccurrence(model, items, context.pool());
  ASSERT_EQ(values.size(), 9U);
  const std::vector<Event> second = {{9, true}};
  const std::vector<ItemId> third = {20};
  EXPECT_EQ(values[1 * 3 + 2], model.clause_truths(second, third, context.pool())[0]);

  // The mean over random squares approximates the mean over all pairs of a small catalogue.
  Random random(2);
  const double asymmetry = mean_asymmetry(model, 4000, random, context.pool());
  std::vector<ItemId> all(40);
  for (ItemId i = 0; i < 40; ++i) all[i] = i;
  const auto truths = cooccurrence(model, all, context.pool());
  double sum = 0.0;
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = i + 1; j < 40; ++j) sum += std::abs(truths[i * 40 + j] - truths[j * 40 + i]);
  }
  EXPECT_GT(asymmetry, 0.0);
  EXPECT_NEAR(asymmetry, sum / 780.0, 0.05 * sum / 780.0);
}

}  // namespace
}  // namespace linn
