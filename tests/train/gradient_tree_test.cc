#include "linn/train/gradient_tree.h"

#include <gtest/gtest.h>

#include <optional>

#include "linn/base/random.h"

namespace linn {
namespace {

using List = std::optional<std::vector<float>>;

// The naive twin: the sum over the shards [begin, end), half by half.
List tree_sum(const std::vector<List>& shards, std::size_t begin, std::size_t end) {
  if (end - begin == 1) return shards[begin];
  const std::size_t middle = (begin + end) / 2;
  List left = tree_sum(shards, begin, middle);
  const List right = tree_sum(shards, middle, end);
  if (!left) return right;
  if (!right) return left;
  for (std::size_t i = 0; i < left->size(); ++i) (*left)[i] += (*right)[i];
  return left;
}

std::vector<Subtree> leaves(std::size_t count) {
  std::vector<Subtree> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back({i, i + 1});
  return all;
}

std::vector<List> random_lists(std::size_t count, std::size_t size, double present, Random& random) {
  std::vector<List> lists(count);
  for (List& list : lists) {
    if (!random.chance(present)) continue;
    list.emplace(size);
    for (float& value : *list) value = static_cast<float>(random.normal());
  }
  return lists;
}

TEST(GradientTree, WholeSubtreesMakeUpTheShards) {
  EXPECT_EQ(whole_subtrees(0, 8, 8), (std::vector<Subtree>{{0, 8}}));
  EXPECT_EQ(whole_subtrees(4, 8, 8), (std::vector<Subtree>{{4, 8}}));
  EXPECT_EQ(whole_subtrees(2, 5, 8), (std::vector<Subtree>{{2, 4}, {4, 5}}));
  EXPECT_EQ(whole_subtrees(5, 8, 8), (std::vector<Subtree>{{5, 6}, {6, 8}}));
}

TEST(GradientTree, SumsHaveTheBitsOfTheTree) {
  Random random(1);
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    for (const std::size_t count : {1, 2, 8, 16}) {
      for (const double present : {0.0, 0.5, 1.0}) {
        const std::size_t size = 10'000;
        std::vector<List> shards = random_lists(count, size, present, random);
        const List expected = tree_sum(shards, 0, count);
        std::vector<float*> lists;
        for (List& list : shards) lists.push_back(list ? list->data() : nullptr);
        const float* const sum = add_up(additions_to({0, count}, leaves(count)), lists, size, pool);
        ASSERT_EQ(sum != nullptr, expected.has_value());
        if (sum != nullptr) EXPECT_EQ(std::vector<float>(sum, sum + size), *expected);
      }
    }
  }
}

TEST(GradientTree, RowsAreAddedAlongTheTree) {
  Random random(2);
  constexpr std::size_t kRows = 700;
  constexpr std::size_t kWidth = 5;
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    RowSum sum_of_rows;
    for (const double density : {0.0, 0.02, 0.6, 1.0}) {
      constexpr std::size_t kCount = 8;
      std::vector<RowGradient> shards(kCount);
      std::vector<std::vector<List>> by_row(kRows, std::vector<List>(kCount));
      for (std::size_t s = 0; s < kCount; ++s) {
        for (std::uint32_t row = 0; row < kRows; ++row) {
          if (random.chance(density)) shards[s].rows.push_back(row);
        }
        shards[s].values.reshape(shards[s].rows.size() * kWidth);
        for (std::size_t i = 0; i < shards[s].rows.size(); ++i) {
          List& values = by_row[shards[s].rows[i]][s];
          values.emplace(kWidth);
          for (float& value : *values) value = static_cast<float>(random.normal());
          std::copy_n(values->data(), kWidth, shards[s].values.data() + i * kWidth);
        }
      }
      std::vector<RowPart> parts;
      for (const RowGradient& shard : shards) parts.push_back({shard.rows, shard.values.data()});
      RowGradient sum;
      sum_of_rows.run(additions_to({0, kCount}, leaves(kCount)), parts, kRows, kWidth, sum, pool);
      std::size_t next = 0;
      for (std::uint32_t row = 0; row < kRows; ++row) {
        const List expected = tree_sum(by_row[row], 0, kCount);
        if (!expected) continue;
        ASSERT_LT(next, sum.rows.size());
        ASSERT_EQ(sum.rows[next], row);
        const float* const values = sum.values.data() + next++ * kWidth;
        EXPECT_EQ(std::vector<float>(values, values + kWidth), *expected);
      }
      EXPECT_EQ(next, sum.rows.size());
    }
  }
}

}  // namespace
}  // namespace linn
