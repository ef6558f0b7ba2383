#include "linn/train/shards.h"

#include <gtest/gtest.h>

#include "linn/base/random.h"
#include "support/thread_group.h"

namespace linn {
namespace {

constexpr std::size_t kShards = 8;
constexpr std::size_t kParameters = 1003;
const std::vector<TableShape> kShapes = {{900, 7}, {40, 1}};

// What the shards of a step leave; some have no examples.
void fill(ShardGradients& shard, std::size_t number, std::uint64_t step) {
  Random random(step, number);
  shard.present = random.chance(0.7);
  if (!shard.present) return;
  std::vector<float> values(kParameters);
  for (float& value : values) value = static_cast<float>(random.normal());
  shard.set_parameters(values);
  shard.sums = {random.normal(), random.normal()};
  for (std::size_t t = 0; t < kShapes.size(); ++t) {
    std::vector<std::uint32_t> rows;
    const double density = random.chance(0.5) ? 0.9 : 0.02;  // a bit for each row, or a list
    for (std::uint32_t row = 0; row < kShapes[t].rows; ++row) {
      if (random.chance(density)) rows.push_back(row);
    }
    values.resize(rows.size() * kShapes[t].width);
    for (float& value : values) value = static_cast<float>(random.normal());
    shard.set_table(t, {rows, values.data()}, kShapes[t].width);
  }
}

struct Sum {
  bool present = false;
  std::vector<float> parameters;
  std::vector<double> sums;
  std::vector<std::pair<std::vector<std::uint32_t>, std::vector<float>>> tables;
  friend bool operator==(const Sum&, const Sum&) = default;
};

Sum copy_of(const ShardGradients& gradients) {
  Sum sum;
  sum.present = gradients.present;
  if (!sum.present) return sum;
  sum.parameters.assign(gradients.parameters.data(), gradients.parameters.data() + gradients.parameters.size());
  sum.sums = gradients.sums;
  for (const RowGradient& table : gradients.tables) {
    sum.tables.emplace_back(table.rows, std::vector(table.values.data(), table.values.data() + table.values.size()));
  }
  return sum;
}

constexpr std::uint64_t kSteps = 20;

std::vector<Sum> sums_of(ProcessGroup& processes, std::size_t threads) {
  ThreadPool pool(threads);
  Shards shards(kShards, processes, pool);
  std::vector<Sum> sums;
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    shards.run(shards.own(), [&](std::size_t shard) { fill(shards.gradients(shard), shard, step); });
    sums.push_back(copy_of(shards.add_up(kParameters, kShapes)));
  }
  return sums;
}

TEST(Shards, AnyNumberOfProcessesGivesTheSameBits) {
  LoneProcess alone;
  const std::vector<Sum> expected = sums_of(alone, 1);
  EXPECT_TRUE(expected[0].present);
  EXPECT_EQ(sums_of(alone, 3), expected);
  for (const std::size_t size : {2, 3, 4, 5, 8}) {
    ThreadGroup group(size);
    const auto errors = group.run([&](ProcessGroup& processes) { EXPECT_EQ(sums_of(processes, 1), expected); });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST(Shards, TheSumIsThatOfAllShards) {
  LoneProcess alone;
  const Sum sum = sums_of(alone, 1)[0];
  std::vector<double> parameters(kParameters, 0.0);
  std::vector<double> rows(kShapes[0].rows * kShapes[0].width, 0.0);
  double first = 0.0;
  for (std::size_t i = 0; i < kShards; ++i) {
    ShardGradients shard;
    fill(shard, i, 0);
    if (!shard.present) continue;
    for (std::size_t k = 0; k < kParameters; ++k) parameters[k] += static_cast<double>(shard.parameters[k]);
    for (std::size_t k = 0; k < shard.tables[0].values.size(); ++k) {
      rows[shard.tables[0].rows[k / kShapes[0].width] * kShapes[0].width + k % kShapes[0].width] +=
          static_cast<double>(shard.tables[0].values[k]);
    }
    first += shard.sums[0];
  }
  for (std::size_t k = 0; k < kParameters; ++k) EXPECT_NEAR(sum.parameters[k], parameters[k], 1e-5);
  for (std::size_t k = 0; k < sum.tables[0].second.size(); ++k) {
    const std::size_t at = sum.tables[0].first[k / kShapes[0].width] * kShapes[0].width + k % kShapes[0].width;
    EXPECT_NEAR(sum.tables[0].second[k], rows[at], 1e-5);
  }
  EXPECT_NEAR(sum.sums[0], first, 1e-12);
}

// 2 (K - 1) / K of what all touch, and a little for the numbers of rows.
TEST(Shards, ProcessesSendLittleMoreThanTheSum) {
  constexpr TableShape kShape = {5000, 64};
  constexpr std::size_t kMany = 20'000;
  for (const std::size_t size : {2, 4}) {
    ThreadGroup group(size);
    group.run([&](ProcessGroup& processes) {
      ThreadPool pool(1);
      Shards shards(kShards, processes, pool);
      const std::vector<float> parameters(kMany, 1.0F);
      std::vector<std::uint32_t> rows(kShape.rows);
      for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
      const std::vector<float> values(rows.size() * kShape.width, 1.0F);
      shards.run(shards.own(), [&](std::size_t shard) {
        ShardGradients& left = shards.gradients(shard);
        left.present = true;
        left.sums = {1.0};
        left.set_parameters(parameters);
        left.set_table(0, {rows, values.data()}, kShape.width);
      });
      shards.add_up(kMany, {&kShape, 1});
      const double touched = 4.0 * static_cast<double>(kMany + values.size());
      const double share = 2.0 * static_cast<double>(size - 1) / static_cast<double>(size);
      for (const std::uint64_t bytes : {shards.sent(), shards.received()}) {
        EXPECT_GT(static_cast<double>(bytes), 0.99 * share * touched);
        EXPECT_LT(static_cast<double>(bytes), 1.01 * share * touched);
      }
    });
  }
}

TEST(Shards, AllProcessesStopTogether) {
  ThreadGroup group(3);
  group.run([&](ProcessGroup& processes) {
    ThreadPool pool(1);
    Shards shards(kShards, processes, pool);
    for (std::uint64_t step = 0; step < 4; ++step) {
      EXPECT_EQ(processes.has_agreed_to_stop(), step > 2);
      if (step == 2 && processes.rank() == 1) processes.ask_to_stop();
      shards.run(shards.own(), [&](std::size_t shard) { fill(shards.gradients(shard), shard, step); });
      shards.add_up(kParameters, kShapes);
    }
  });
}

}  // namespace
}  // namespace linn
