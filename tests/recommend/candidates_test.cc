#include "linn/recommend/protocol/candidates.h"

#include <gtest/gtest.h>

#include <set>

#include "linn/base/file.h"
#include "support/random_interactions.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

InteractionData some_data() {
  InteractionRecipe recipe;
  recipe.users = 40;
  recipe.items = 60;
  return random_interactions(recipe);
}

TEST(Candidates, AreDistinctItemsThatTheUserDidNotLike) {
  const Histories histories(some_data());
  for (const Split split : {Split::kTrain, Split::kValidation, Split::kTest}) {
    const Candidates candidates(histories, split, {20, 0});
    ASSERT_EQ(candidates.size(), histories.examples(split).size());
    bool disliked_among_them = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const auto items = candidates.items(i);
      ASSERT_EQ(items.size(), 21U);
      EXPECT_EQ(items[0], histories.item(candidates.example(i)));
      EXPECT_EQ(std::set<ItemId>(items.begin(), items.end()).size(), 21U);
      for (const Event& event : histories.events(candidates.example(i).user)) {
        const bool among = std::find(items.begin() + 1, items.end(), event.item) != items.end();
        if (event.liked) EXPECT_FALSE(among);
        disliked_among_them = disliked_among_them || among;
      }
    }
    EXPECT_TRUE(disliked_among_them);
  }
}

TEST(Candidates, DependOnlyOnTheSeedAndTheExample) {
  InteractionData data = some_data();
  const Histories histories(data);
  const Candidates candidates(histories, Split::kTest, {10, 0});
  const Candidates again(histories, Split::kTest, {10, 0});
  const Candidates other(histories, Split::kTest, {10, 1});
  const auto list = [](std::span<const ItemId> items) { return std::vector<ItemId>(items.begin(), items.end()); };
  std::size_t different = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    EXPECT_EQ(list(candidates.items(i)), list(again.items(i)));
    different += list(candidates.items(i)) != list(other.items(i)) ? 1 : 0;
  }
  EXPECT_GT(different, 35U);

  // Removing one user's row does not change the candidates of the others.
  data.test.erase(data.test.begin());
  const Histories fewer(data);
  const Candidates without(fewer, Split::kTest, {10, 0});
  ASSERT_EQ(without.size() + 1, candidates.size());
  for (std::size_t i = 0; i < without.size(); ++i) EXPECT_EQ(list(without.items(i)), list(candidates.items(i + 1)));
}

TEST(Candidates, AreDrawnUniformly) {
  InteractionData data;
  for (int u = 0; u < 6000; ++u) data.users.intern(fmt::format("{}", u));
  for (int i = 0; i < 8; ++i) data.items.intern(fmt::format("{}", i));
  for (UserId user = 0; user < 6000; ++user) {
    data.train.push_back({user, 2, true, 0});
    data.test.push_back({user, 5, true, 1});
  }
  const Histories histories(data);
  const Candidates candidates(histories, Split::kTest, {3, 0});
  std::vector<std::size_t> counts(8, 0);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    for (const ItemId item : candidates.items(i).subspan(1)) ++counts[item];
  }
  for (ItemId item = 0; item < 8; ++item) {
    if (item == 2 || item == 5) {
      EXPECT_EQ(counts[item], 0U);
    } else {
      EXPECT_NEAR(static_cast<double>(counts[item]), 3000.0, 200.0);
    }
  }
}

TEST(Candidates, AreFewerIfThereAreNotEnough) {
  InteractionData data;
  data.users.intern("ann");
  data.users.intern("all");
  for (int i = 0; i < 5; ++i) data.items.intern(fmt::format("{}", i));
  data.train = {{0, 0, true, 0}, {1, 0, true, 0}, {1, 1, true, 0}, {1, 2, true, 0}, {1, 3, true, 0}};
  data.test = {{0, 1, true, 0}, {1, 4, true, 0}};
  const Histories histories(data);
  const Candidates candidates(histories, Split::kTest);
  const auto first = candidates.items(0);
  EXPECT_EQ(std::set<ItemId>(first.begin(), first.end()), (std::set<ItemId>{1, 2, 3, 4}));
  EXPECT_EQ(candidates.items(1).size(), 1U);

  const TempFolder folder;
  write_candidates(folder / "candidates.tsv", candidates, catalogue_of(data));
  const std::string text = read_file(folder / "candidates.tsv");
  EXPECT_TRUE(text.starts_with("user\titem\tcandidates\nann\t1\t"));
  EXPECT_TRUE(text.ends_with("\nall\t4\n"));
}

}  // namespace
}  // namespace linn
