#include "linn/data/split_interactions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <string_view>
#include <vector>

namespace linn {
namespace {

// '+' for each like, '-' for each dislike.
std::vector<Interaction> history(std::string_view signs) {
  std::vector<Interaction> rows;
  for (const char sign : signs) rows.push_back({0, static_cast<ItemId>(rows.size()), sign == '+', 0});
  return rows;
}

// The history with bars before validation and test.
std::string cut(std::string_view signs) {
  const SplitPoints points = split_history(history(signs));
  return std::string(signs.substr(0, points.validation)) + "|" +
         std::string(signs.substr(points.validation, points.test - points.validation)) + "|" +
         std::string(signs.substr(points.test));
}

TEST(SplitHistory, HoldsOutTheLastLikes) {
  EXPECT_EQ(cut(""), "||");
  EXPECT_EQ(cut("----"), "----||");
  EXPECT_EQ(cut("+++++"), "+++++||");
  EXPECT_EQ(cut("+++++--"), "+++++--||");
  EXPECT_EQ(cut("++++++"), "+++++||+");
  EXPECT_EQ(cut("+-++-++-+--"), "+-++-++-||+--");
  EXPECT_EQ(cut("+++++++"), "+++++|+|+");
  EXPECT_EQ(cut("--+++++-+--+-"), "--+++++-|+--|+-");
  EXPECT_EQ(cut("++++++++-+---"), "+++++++|+-|+---");
}

// Follows the definition literally instead of in one pass.
RC_GTEST_PROP(SplitHistory, EqualsTheDefinition, (const std::vector<bool>& likes)) {
  std::string signs;
  std::vector<std::size_t> liked;
  for (std::size_t i = 0; i < likes.size(); ++i) {
    signs += likes[i] ? '+' : '-';
    if (likes[i]) liked.push_back(i);
  }
  SplitPoints expected{signs.size(), signs.size()};
  if (liked.size() >= 6) expected.validation = expected.test = liked.back();
  if (liked.size() >= 7) expected.validation = liked[liked.size() - 2];
  RC_ASSERT(split_history(history(signs)) == expected);
}

TEST(SplitHistory, ItemsAreNumberedByFirstOccurrence) {
  InteractionData data;
  for (const char* name : {"a", "b", "c", "d", "e"}) data.items.intern(name);
  data.titles = {"A", "B", "C", "D", "E"};
  data.train = {{0, 3, true, 0}, {0, 1, true, 0}};
  data.test = {{0, 4, true, 0}, {0, 3, false, 0}};
  InteractionData dropped = data;

  EXPECT_EQ(renumber_items(data, UnusedItems::kKeep), (std::vector<ItemId>{3, 1, 4, 0, 2}));
  EXPECT_EQ(data.titles, (std::vector<std::string>{"D", "B", "E", "A", "C"}));
  EXPECT_EQ(data.items.name(2), "e");
  EXPECT_EQ(data.train[1].item, 1U);
  EXPECT_EQ(data.test[0].item, 2U);

  EXPECT_EQ(renumber_items(dropped, UnusedItems::kDrop), (std::vector<ItemId>{kNoItem, 1, kNoItem, 0, 2}));
  EXPECT_EQ(dropped.titles, (std::vector<std::string>{"D", "B", "E"}));
  EXPECT_EQ(dropped.items.size(), 3U);
}

}  // namespace
}  // namespace linn
