#include "linn/data/continued_data.h"

#include <gtest/gtest.h>

#include "linn/base/file.h"
#include "linn/logic/print.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

InteractionData shop(const std::vector<std::pair<const char*, const char*>>& train,
                     const std::vector<std::pair<const char*, const char*>>& test) {
  InteractionData data;
  const auto add = [&](const auto& rows, std::vector<Interaction>& part) {
    for (const auto& [user, item] : rows) part.push_back({data.users.intern(user), data.items.intern(item), true, 7});
  };
  add(train, data.train);
  add(test, data.test);
  return data;
}

TEST(ContinuedInteractions, HaveTheEarlierRowsFirstAndKeepNumbers) {
  InteractionData earlier = shop({{"anna", "a"}, {"ben", "b"}}, {{"anna", "c"}});
  earlier.titles = {"A", "B", "C"};
  InteractionData later = shop({{"carla", "b"}, {"anna", "d"}}, {{"carla", "a"}});
  later.titles = {"", "D", ""};
  earlier.categories = {{"genres", {"x", "y", ""}}};
  later.categories = {{"genres", {"z", "w|x", ""}}, {"year", {"", "1999", ""}}};  // of b, d and a
  const InteractionData all = continue_data(earlier, later);
  EXPECT_EQ(all.users.names(), (std::vector<std::string>{"anna", "ben", "carla"}));
  EXPECT_EQ(all.items.names(), (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(all.titles, (std::vector<std::string>{"A", "B", "C", "D"}));
  EXPECT_EQ(all.categories,
            (std::vector<CategoryColumn>{{"genres", {"x", "z", "", "w|x"}}, {"year", {"", "", "", "1999"}}}));
  EXPECT_EQ(all.earlier, 3U);
  const std::vector<Interaction> train = {
      {0, 0, true, 7}, {1, 1, true, 7}, {0, 2, true, 7}, {2, 1, true, 7}, {0, 3, true, 7}};
  EXPECT_EQ(all.train, train);
  EXPECT_TRUE(all.validation.empty());
  EXPECT_EQ(all.test, (std::vector<Interaction>{{2, 0, true, 7}}));

  // Once more: all of that is earlier now.
  const InteractionData again = continue_data(all, shop({{"dan", "e"}}, {}));
  EXPECT_EQ(again.earlier, 6U);
  EXPECT_EQ(again.train.size(), 7U);
  EXPECT_EQ(again.titles.size(), again.items.size());
}

TEST(ContinuedEquations, ExtendEverySplit) {
  const TempFolder folder;
  for (const char* name : {"a", "b"}) create_folder(folder / name);
  write_file(folder / "a" / "train.tsv", "expression\tlabel\nx & y\t1\n!x\t0\n");
  write_file(folder / "a" / "test.tsv", "expression\tlabel\ny\t1\n");
  write_file(folder / "a" / "variables.tsv", "variable\tvalue\nx\t1\n");
  write_file(folder / "b" / "train.tsv", "expression\tlabel\nz | x\t1\n");
  write_file(folder / "b" / "validation.tsv", "expression\tlabel\nz\t0\n");
  write_file(folder / "b" / "variables.tsv", "variable\tvalue\nz\t0\n");
  EquationData earlier = read_equation_data(folder / "a");
  EquationData later = read_equation_data(folder / "b", 0, std::move(earlier.pool));
  const EquationData all = continue_data(std::move(earlier), std::move(later));
  EXPECT_EQ(all.earlier, 2U);
  ASSERT_EQ(all.train.size(), 3U);
  EXPECT_EQ(to_string(all.pool, all.train.expressions[0]), "x & y");
  EXPECT_EQ(to_string(all.pool, all.train.expressions[2]), "z | x");
  EXPECT_EQ(all.train.labels, (std::vector<float>{1.0F, 0.0F, 1.0F}));
  EXPECT_EQ(all.validation.size(), 1U);
  EXPECT_EQ(all.test.size(), 1U);
  EXPECT_EQ(all.pool.variables().names(), (std::vector<std::string>{"x", "y", "z"}));
  EXPECT_EQ(*all.truth, (Truth{true, std::nullopt, false}));
}

}  // namespace
}  // namespace linn
