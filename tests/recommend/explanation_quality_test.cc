#include "linn/recommend/reasons/explanation_quality.h"

#include <gtest/gtest.h>

#include "linn/base/file.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

// Three users rate items 0 and 1, then like item 3; a fourth user's like of item 3 is the test row.
InteractionData rule_data() {
  InteractionData data;
  for (const char* item : {"a", "b", "c", "d", "e"}) data.items.intern(item);
  for (const char* user : {"u", "v", "w", "x"}) data.users.intern(user);
  for (UserId user = 0; user < 3; ++user) {
    data.train.push_back({user, 0, true, 0});
    data.train.push_back({user, 1, user == 0, 1});
    data.train.push_back({user, 3, true, 2});
  }
  data.train.push_back({3, 0, true, 0});
  data.train.push_back({3, 1, false, 1});
  data.train.push_back({3, 2, true, 2});
  data.test = {{3, 3, true, 4}};
  return data;
}

// An event of the given item raises the score of item 3 only.
class OneItemModel : public RankingModel {
 public:
  explicit OneItemModel(ItemId wanted) : wanted_(wanted) {}
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool&) const override {
    for (std::size_t i = 0; i < items.size(); ++i) {
      scores[i] = 0.0F;
      for (const Event& event : queries[i / each].history)
        scores[i] += event.item == wanted_ && items[i] == 3 ? 3.0F : 0.0F;
    }
  }
  std::size_t items() const override { return 5; }
  void add_values(SafetensorsWriter&, const std::string&) const override {}

 private:
  ItemId wanted_;
};

void write_causes(const TempFolder& folder, std::string_view rules, std::string_view causes) {
  write_file(folder / "rules.tsv", rules);
  write_file(folder / "causes.tsv", causes);
}

TEST(ExplanationQuality, CountsReasonsThatAreRight) {
  TempFolder folder;
  const InteractionData data = rule_data();
  EXPECT_FALSE(KnownCauses::read(folder.path(), data));
  write_causes(folder, "rule\tbody\thead\n1\t+a -b\td\n2\t+nobody\td\n", "user\titem\trule\nx\td\t1\nnew\td\t2\n");
  const auto causes = KnownCauses::read(folder.path(), data);
  ASSERT_TRUE(causes);
  EXPECT_EQ(std::vector<Event>(causes->body(3, 3).begin(), causes->body(3, 3).end()),
            (std::vector<Event>{{0, true}, {1, false}}));
  EXPECT_TRUE(causes->body(3, 2).empty());
  EXPECT_TRUE(causes->body(0, 3).empty());

  const Histories histories(data);
  const auto examples = histories.examples(Split::kTest);
  ASSERT_EQ(examples.size(), 1U);
  ThreadPool pool(1);
  for (const ItemId wanted : {ItemId{0}, ItemId{1}, ItemId{2}}) {
    const auto quality = measure_explanations(OneItemModel(wanted), histories, examples, 4, &*causes, pool);
    EXPECT_EQ(quality.count, 1U);
    EXPECT_EQ(quality.caused, 1U);
    EXPECT_DOUBLE_EQ(quality.first_drop, 3.0);
    EXPECT_DOUBLE_EQ(quality.random_drop, 1.0);
    EXPECT_DOUBLE_EQ(quality.first_hits, wanted == 2 ? 0.0 : 1.0);
    EXPECT_DOUBLE_EQ(quality.cooccurrence_hits, 1.0);  // all three who like d like a
    EXPECT_DOUBLE_EQ(quality.chance_hits, 2.0 / 3.0);
  }
  const auto without = measure_explanations(OneItemModel(0), histories, examples, 4, nullptr, pool);
  EXPECT_EQ(without.count, 1U);
  EXPECT_EQ(without.caused, 0U);
}

TEST(ExplanationQuality, RefusesBrokenFiles) {
  TempFolder folder;
  const InteractionData data = rule_data();
  const auto read = [&] { KnownCauses::read(folder.path(), data); };
  write_causes(folder, "rule\tbody\thead\n1\ta\td\n", "user\titem\trule\n");
  expect_input_error(read, 2, 3, "expected +ITEM or -ITEM", "rules.tsv");
  write_causes(folder, "rule\tbody\thead\n1\t+a\td\n1\t+b\td\n", "user\titem\trule\n");
  expect_input_error(read, 3, 1, "twice", "rules.tsv");
  write_causes(folder, "rule\tbody\thead\n1\t+a\td\n", "user\titem\trule\nx\td\t2\n");
  expect_input_error(read, 2, 5, "no such rule", "causes.tsv");
}

}  // namespace
}  // namespace linn
