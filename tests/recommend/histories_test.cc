#include "linn/recommend/protocol/histories.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "support/random_interactions.h"

namespace linn {
namespace {

// Untidy data: rows of users alternate, pairs repeat within and across splits, and one user has no rows.
InteractionData messy() {
  InteractionData data;
  for (const char* name : {"ann", "bob", "nobody", "cy"}) data.users.intern(name);
  for (int i = 0; i < 8; ++i) data.items.intern(fmt::format("{}", i));
  data.train = {{0, 1, true, 1},  {1, 5, false, 1}, {0, 2, false, 2},
                {0, 1, false, 3}, {1, 6, true, 2},  {0, 3, true, 4}};
  data.validation = {{0, 4, true, 5}, {0, 2, true, 6}, {3, 7, true, 1}};
  data.test = {{1, 7, true, 3}, {0, 5, true, 7}, {3, 0, true, 2}, {0, 6, false, 8}};
  return data;
}

TEST(Histories, KeepOrderAndTheFirstOfRepeatedPairs) {
  const Histories histories(messy());
  EXPECT_EQ(histories.users(), 4U);
  EXPECT_EQ(histories.items(), 8U);
  const auto list = [](std::span<const Event> events) { return std::vector<Event>(events.begin(), events.end()); };
  EXPECT_EQ(list(histories.events(0)),
            (std::vector<Event>{{1, true}, {2, false}, {3, true}, {4, true}, {5, true}, {6, false}}));
  EXPECT_EQ(list(histories.training_events(0)), (std::vector<Event>{{1, true}, {2, false}, {3, true}}));
  EXPECT_EQ(list(histories.events(1)), (std::vector<Event>{{5, false}, {6, true}, {7, true}}));
  EXPECT_TRUE(histories.events(2).empty());
  EXPECT_TRUE(histories.training_events(3).empty());
}

TEST(Histories, ExamplesAreLikesWithAHistory) {
  const Histories histories(messy());
  // Ann's first like has no history; Bob's has a dislike before it.
  EXPECT_EQ(histories.examples(Split::kTrain), (std::vector<Example>{{0, 2}, {1, 1}}));
  // Cy's validation like is Cy's first event.
  EXPECT_EQ(histories.examples(Split::kValidation), (std::vector<Example>{{0, 3}}));
  EXPECT_EQ(histories.examples(Split::kTest), (std::vector<Example>{{0, 4}, {1, 2}, {3, 1}}));
  EXPECT_EQ(histories.item({0, 4}), 5U);
  EXPECT_EQ(histories.before({0, 4}).size(), 4U);  // validation rows and dislikes included
}

TEST(Histories, AgreeWithAPlainListOfRows) {
  InteractionRecipe recipe;
  recipe.users = 50;
  InteractionData data = random_interactions(recipe);
  Random random(5);
  for (int i = 0; i < 100; ++i) {  // repeated pairs, and dislikes after held-out likes
    const auto user = static_cast<UserId>(random.below(50));
    (i % 2 == 0 ? data.test : data.train).push_back({user, static_cast<ItemId>(random.below(40)), i % 3 == 0, i});
  }
  random.shuffle(std::span(data.train));
  const Histories histories(data);
  std::size_t examples = 0;
  for (UserId user = 0; user < 50; ++user) {
    std::vector<Event> expected;
    std::set<ItemId> met;
    for (const auto* part : {&data.train, &data.validation, &data.test}) {
      for (const Interaction& row : *part) {
        if (row.user == user && met.insert(row.item).second) {
          expected.push_back({row.item, row.liked});
          examples += row.liked && expected.size() > 1 ? 1 : 0;
        }
      }
    }
    const auto events = histories.events(user);
    EXPECT_EQ(std::vector<Event>(events.begin(), events.end()), expected);
  }
  EXPECT_EQ(histories.examples(Split::kTrain).size() + histories.examples(Split::kValidation).size() +
                histories.examples(Split::kTest).size(),
            examples);
}

TEST(HistoryWindow, KeepsTheLastEvents) {
  const std::vector<Event> history = {{0, true}, {1, false}, {2, true}, {3, true}, {4, false}};
  const auto cut = [&](HistoryWindow window) {
    std::vector<Event> out = {{9, true}};  // appended to
    window.cut(history, out);
    EXPECT_EQ(out.front(), (Event{9, true}));
    return std::vector<Event>(out.begin() + 1, out.end());
  };
  EXPECT_EQ(cut({3, true}), (std::vector<Event>{{2, true}, {3, true}, {4, false}}));
  EXPECT_EQ(cut({2, false}), (std::vector<Event>{{2, true}, {3, true}}));
  EXPECT_EQ(cut({10, false}), (std::vector<Event>{{0, true}, {2, true}, {3, true}}));
  EXPECT_EQ(cut({0, true}), history);
  EXPECT_EQ(cut({0, false}).size(), 3U);
}

}  // namespace
}  // namespace linn
