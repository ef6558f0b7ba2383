#include "linn/data/generate_interactions.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/file.h"
#include "linn/data/item_titles.h"
#include "linn/data/split_interactions.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

std::vector<std::vector<Interaction>> histories_of(const InteractionData& data) {
  std::vector<std::vector<Interaction>> histories(data.users.size());
  for (const auto* part : {&data.train, &data.validation, &data.test}) {
    for (const Interaction& row : *part) histories[row.user].push_back(row);
  }
  return histories;
}

// Whether the body of a rule is satisfied by the ten rows before a position.
bool body_held(const HiddenRule& rule, const std::vector<Interaction>& history, std::size_t position) {
  for (const SignedItem& literal : rule.body()) {
    bool found = false;
    for (std::size_t i = position > 10 ? position - 10 : 0; i < position; ++i) {
      found = found || (history[i].item == literal.item && history[i].liked == literal.liked);
    }
    if (!found) return false;
  }
  return true;
}

InteractionRecipe recipe_of(std::size_t users, std::size_t items, std::size_t ratings, std::uint64_t seed = 0) {
  InteractionRecipe recipe;
  recipe.users = users;
  recipe.items = items;
  recipe.ratings = ratings;
  recipe.seed = seed;
  return recipe;
}

TEST(GenerateInteractions, FollowsTheRecipe) {
  const GeneratedInteractions made = generate_interactions(recipe_of(2000, 1000, 18'000));
  const InteractionData& data = made.data;
  EXPECT_EQ(data.users.size(), 2000U);
  EXPECT_EQ(data.items.size(), 1000U);
  EXPECT_EQ(data.titles.size(), 1000U);
  EXPECT_EQ(data.train.size() + data.validation.size() + data.test.size(), 18'000U);
  std::size_t likes = 0, longest = 0;
  for (const std::vector<Interaction>& history : histories_of(data)) {
    EXPECT_GE(history.size(), kMinRatings);
    longest = std::max(longest, history.size());
    std::set<ItemId> distinct;
    for (std::size_t i = 0; i < history.size(); ++i) {
      distinct.insert(history[i].item);
      likes += history[i].liked ? 1 : 0;
      if (i > 0) EXPECT_LT(history[i - 1].time, history[i].time);
    }
    EXPECT_EQ(distinct.size(), history.size());
  }
  EXPECT_GT(longest, 50U);
  EXPECT_NEAR(static_cast<double>(likes), 0.8 * 18'000, 250);
  EXPECT_NEAR(static_cast<double>(made.causes.size()), 0.5 * static_cast<double>(likes), 100);
}

// A like is caused by a rule if and only if the rule's body held before it; and no user dislikes the head of a rule
// that holds.
TEST(GenerateInteractions, CausesAreExactlyTheLikesThatRulesExplain) {
  const GeneratedInteractions made = generate_interactions(recipe_of(500, 200, 6000, 3));
  std::map<ItemId, std::uint32_t> rule_of_head;
  for (std::uint32_t r = 0; r < made.rules.size(); ++r) {
    EXPECT_TRUE(rule_of_head.emplace(made.rules[r].head, r).second) << "two rules share a head";
  }
  for (const HiddenRule& rule : made.rules) {
    for (const SignedItem& literal : rule.body()) EXPECT_FALSE(rule_of_head.contains(literal.item));
  }
  std::vector<Cause> expected;
  const auto histories = histories_of(made.data);
  for (UserId user = 0; user < histories.size(); ++user) {
    for (std::size_t i = 0; i < histories[user].size(); ++i) {
      const Interaction& row = histories[user][i];
      const auto found = rule_of_head.find(row.item);
      if (found == rule_of_head.end() || !body_held(made.rules[found->second], histories[user], i)) continue;
      EXPECT_TRUE(row.liked);
      expected.push_back({user, row.item, found->second});
    }
  }
  EXPECT_EQ(made.causes, expected);
}

TEST(GenerateInteractions, RulesLeaveTraces) {
  const GeneratedInteractions made = generate_interactions(recipe_of(3000, 300, 27'000));
  std::vector<std::size_t> uses(made.rules.size());
  for (const Cause& cause : made.causes) ++uses[cause.rule];
  std::size_t with_dislikes = 0, pairs = 0, unused = 0;
  for (std::size_t r = 0; r < uses.size(); ++r) {
    const auto body = made.rules[r].body();
    const bool dislike =
        std::any_of(body.begin(), body.end(), [](const SignedItem& literal) { return !literal.liked; });
    with_dislikes += dislike ? uses[r] : 0;
    pairs += body.size() == 2 ? uses[r] : 0;
    unused += uses[r] < 5 ? 1 : 0;
  }
  // Dislikes and pairs matter, and hardly any rule is too rare to be learned.
  EXPECT_GT(with_dislikes, made.causes.size() / 5);
  EXPECT_GT(pairs, made.causes.size() / 5);
  EXPECT_EQ(unused, 0U);

  // Heads are liked because of their rules, not for their popularity.
  std::set<ItemId> heads;
  for (const HiddenRule& rule : made.rules) heads.insert(rule.head);
  std::size_t rated_heads = 0;
  for (const std::vector<Interaction>& history : histories_of(made.data)) {
    for (const Interaction& row : history) rated_heads += heads.contains(row.item) ? 1 : 0;
  }
  EXPECT_GT(static_cast<double>(made.causes.size()), 0.7 * static_cast<double>(rated_heads));
}

// Every couple of items has rules that differ only in their signs.
TEST(GenerateInteractions, SignsDistinguishRules) {
  const GeneratedInteractions made = generate_interactions(recipe_of(100, 1000, 900));
  EXPECT_EQ(made.rules.size(), 200U);
  std::map<std::pair<ItemId, ItemId>, std::set<std::pair<bool, bool>>> signs;
  std::map<ItemId, std::set<bool>> single_signs;
  for (const HiddenRule& rule : made.rules) {
    if (rule.size == 1) single_signs[rule.literals[0].item].insert(rule.literals[0].liked);
    if (rule.size != 2) continue;
    signs[{rule.literals[0].item, rule.literals[1].item}].emplace(rule.literals[0].liked, rule.literals[1].liked);
  }
  EXPECT_EQ(signs.size(), 25U);
  for (const auto& [couple, all] : signs) EXPECT_EQ(all.size(), 3U);
  EXPECT_EQ(single_signs.size(), 50U);
  for (const auto& [item, all] : single_signs) EXPECT_EQ(all.size(), 2U);
}

TEST(GenerateInteractions, FollowsTheSeedAndTheShares) {
  const GeneratedInteractions one = generate_interactions(recipe_of(200, 100, 1800, 1));
  const GeneratedInteractions again = generate_interactions(recipe_of(200, 100, 1800, 1));
  const GeneratedInteractions other = generate_interactions(recipe_of(200, 100, 1800, 2));
  EXPECT_EQ(one.data.train, again.data.train);
  EXPECT_EQ(one.data.titles, again.data.titles);
  EXPECT_EQ(one.causes, again.causes);
  EXPECT_NE(one.data.train, other.data.train);

  InteractionRecipe recipe = recipe_of(200, 100, 1800, 1);
  recipe.like_share = 1;
  recipe.rules = 0;
  const GeneratedInteractions free = generate_interactions(recipe);
  EXPECT_TRUE(free.rules.empty());
  EXPECT_TRUE(free.causes.empty());
  EXPECT_TRUE(
      std::all_of(free.data.train.begin(), free.data.train.end(), [](const Interaction& row) { return row.liked; }));
  recipe.rules = 1;
  EXPECT_EQ(generate_interactions(recipe).rules.size(), 1U);
}

TEST(GenerateInteractions, IsTheSameOnEveryPlatform) {
  const GeneratedInteractions made = generate_interactions(recipe_of(300, 150, 2700, 5));
  std::uint64_t hash = 0xCBF29CE484222325U;
  const auto add = [&](std::uint64_t value) { hash = (hash ^ value) * 0x100000001B3U; };
  for (const auto* part : {&made.data.train, &made.data.validation, &made.data.test}) {
    for (const Interaction& row : *part) {
      add(row.user);
      add(std::stoull(made.data.items.name(row.item)));
      add(row.liked ? 1 : 0);
      add(static_cast<std::uint64_t>(row.time));
    }
  }
  EXPECT_EQ(hash, 230565331428473788U);
}

RC_GTEST_PROP(GenerateInteractions, GivesExactlyTheRequestedNumberOfRatings, ()) {
  const auto users = *rc::gen::inRange<std::size_t>(1, 40);
  const auto items = *rc::gen::inRange<std::size_t>(10, 80);
  const auto ratings = *rc::gen::inRange<std::size_t>(5 * users, items / 2 * users + 1);
  const GeneratedInteractions made = generate_interactions(recipe_of(users, items, ratings));
  RC_ASSERT(made.data.train.size() + made.data.validation.size() + made.data.test.size() == ratings);
  RC_ASSERT(made.data.items.size() == items);
  for (const std::vector<Interaction>& history : histories_of(made.data)) RC_ASSERT(history.size() >= kMinRatings);
}

TEST(GenerateInteractions, TheFolderReadsBack) {
  const TempFolder folder;
  const GeneratedInteractions made = generate_interactions(recipe_of(50, 60, 500));
  write_generated_interactions(folder.path(), made);
  const InteractionData read = read_interaction_folder(folder.path());
  EXPECT_EQ(read.train, made.data.train);
  EXPECT_EQ(read.validation, made.data.validation);
  EXPECT_EQ(read.test, made.data.test);
  EXPECT_EQ(read.titles, made.data.titles);
  const std::string rules = read_file(folder / "rules.tsv");
  EXPECT_TRUE(rules.starts_with("rule\tbody\thead\n1\t+")) << rules;
  EXPECT_EQ(static_cast<std::size_t>(std::count(rules.begin(), rules.end(), '\n')), made.rules.size() + 1);
  const std::string causes = read_file(folder / "causes.tsv");
  EXPECT_TRUE(causes.starts_with("user\titem\trule\n"));
  EXPECT_EQ(static_cast<std::size_t>(std::count(causes.begin(), causes.end(), '\n')), made.causes.size() + 1);
}

TEST(GenerateInteractions, RejectsInvalidRecipes) {
  const auto refuse = [](const InteractionRecipe& recipe, std::string_view part) {
    expect_input_error([&] { generate_interactions(recipe); }, 0, 0, part);
  };
  refuse(recipe_of(0, 100, 100), "users: expected 1 to 1000000000, found 0");
  refuse(recipe_of(10, 9, 100), "items: expected 10 to 1000000000, found 9");
  refuse(recipe_of(10, 100, 49), "ratings: expected 50 to 500, found 49");
  refuse(recipe_of(10, 100, 501), "ratings: expected 50 to 500, found 501");
  InteractionRecipe recipe = recipe_of(10, 100, 100);
  recipe.like_share = 1.5;
  refuse(recipe, "share of likes: expected a number between 0 and 1, found 1.5");
  recipe = recipe_of(10, 100, 100);
  recipe.caused_share = -1;
  refuse(recipe, "share of caused likes: expected a number between 0 and 1, found -1");
  recipe = recipe_of(10, 100, 100);
  recipe.rules = 99;
  refuse(recipe, "rules: 100 items allow at most");
}

TEST(GeneratedTitle, IsDifferentForEveryNumber) {
  std::set<std::string> titles;
  for (std::size_t i = 0; i < 10'000; ++i) titles.insert(generated_title(i));
  EXPECT_EQ(titles.size(), 10'000U);
  EXPECT_EQ(generated_title(0), "The Amber Anchor");
  EXPECT_EQ(generated_title(4096), "The Amber Anchor 2");
}

}  // namespace
}  // namespace linn
