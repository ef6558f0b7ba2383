#include "linn/recommend/protocol/negative_sampler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "linn/recommend/protocol/likes.h"
#include "support/random_interactions.h"

namespace linn {
namespace {

RC_GTEST_PROP(UnlikedItems, AreNumberedWithoutGaps, ()) {
  const auto items = *rc::gen::inRange<ItemId>(1, 60);
  const auto liked = *rc::gen::container<std::set<ItemId>>(rc::gen::inRange<ItemId>(0, items));
  std::vector<ItemId> gaps(liked.begin(), liked.end());
  to_gaps(gaps);
  std::size_t number = 0;
  for (ItemId item = 0; item < items; ++item) {
    if (!liked.contains(item)) RC_ASSERT(unliked_item(gaps, number++) == item);
  }
}

TEST(NegativeSampler, DrawsUnlikedItemsUniformly) {
  InteractionData data;
  data.users.intern("ann");
  data.users.intern("all");
  for (int i = 0; i < 7; ++i) data.items.intern(fmt::format("{}", i));
  data.train = {{0, 0, true, 0}, {0, 3, false, 1}, {0, 4, true, 2}};
  data.validation = {{0, 5, true, 3}};
  data.test = {{0, 6, true, 4}};
  for (ItemId item = 0; item < 7; ++item) data.train.push_back({1, item, true, 0});
  const NegativeSampler sampler{Histories(data)};
  ASSERT_TRUE(sampler.has_negatives(0));
  EXPECT_FALSE(sampler.has_negatives(1));

  std::vector<ItemId> drawn(50'000);
  Random random(3);
  sampler.draw(0, random, drawn);
  std::vector<std::size_t> counts(7, 0);
  for (const ItemId item : drawn) ++counts[item];
  // Never liked items. The disliked item counts as unliked, and so do the held-out likes, which the sampler must not
  // know.
  for (const ItemId item : {0U, 4U}) EXPECT_EQ(counts[item], 0U);
  for (const ItemId item : {1U, 2U, 3U, 5U, 6U}) EXPECT_NEAR(static_cast<double>(counts[item]), 10'000.0, 500.0);
}

TEST(NegativeSampler, FindsTheOnlyUnlikedItem) {
  InteractionData data;
  data.users.intern("ann");
  constexpr ItemId kItems = 20'000;
  for (ItemId i = 0; i < kItems; ++i) data.items.intern(fmt::format("{}", i));
  for (ItemId i = 0; i < kItems; ++i) data.train.push_back({0, i, i != 1234, 0});
  const NegativeSampler sampler{Histories(data)};
  std::vector<ItemId> drawn(100'000);
  Random random(3);
  sampler.draw(0, random, drawn);
  EXPECT_EQ(std::set<ItemId>(drawn.begin(), drawn.end()), std::set<ItemId>{1234});
}

}  // namespace
}  // namespace linn
