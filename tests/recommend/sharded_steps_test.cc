// Steps in shards have the gradients of the whole step, within rounding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/recommend/linn/sharded_fold_step.h"
#include "recommend/query_trial.h"

namespace linn {
namespace {

void expect_near(std::span<const float> actual, std::span<const float> expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  float largest = 1e-6F;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i) ASSERT_NEAR(actual[i], expected[i], 5e-5F * largest) << what;
}

void expect_near(const SparseGradient& actual, const SparseGradient& expected, std::size_t width,
                 const std::string& what) {
  ASSERT_TRUE(std::ranges::equal(actual.rows, expected.rows)) << what;
  expect_near({actual.values, actual.rows.size() * width}, {expected.values, expected.rows.size() * width}, what);
}

TEST(ShardedFoldStep, GradientsDoNotDependOnTheNumberOfShards) {
  constexpr std::size_t kItems = 25;
  constexpr std::size_t kUsers = 4;
  constexpr std::size_t kWidth = 12;
  Random random(2);
  std::vector<std::vector<Event>> events(11);
  HistoryBatch batch;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const auto length = static_cast<std::size_t>(random.between(2, 9));
    for (std::size_t k = 0; k < length; ++k) {
      // The stretches of one shard have no target.
      events[i].push_back({static_cast<ItemId>(random.below(kItems)), i > 2 && random.chance(0.6)});
    }
    batch.stretches.push_back({static_cast<UserId>(i % (kUsers + 2)), events[i]});
  }
  for (const bool sampled : {false, true}) {
    if (sampled) {
      batch.negatives = {3, 17, 3, 8};
      batch.negative_log_counts = {0.1F, -0.5F, 0.1F, 0.3F};
    }
    for (const Structure structure : {Structure::kProduct, Structure::kMlpProduct}) {
      LinnRecommenderOptions options = linn_fold_preset({1000, 0, kItems}, kWidth);
      options.network.and_structure = structure;
      options.law_weight = 0.0F;  // whose operands are in random order
      options.length_weight = 0.1F;
      LogicNetwork network(options.network);
      EmbeddingTable variables("variables", kItems + kUsers, kWidth);
      network.initialize_glorot(random);
      variables.initialize_normal(random, 0.5F);
      Optimizer optimizer({}, network.parameters(), {&variables});
      const LogicStepOptions step_options = logic_step_options(options, 0.0F);
      ThreadPool pool(2);
      FoldStep whole(network, variables, kItems, optimizer, pool, step_options);
      Random any(1);
      const StepReport expected = whole.compute(batch, any);
      for (const std::size_t count : {1, 4, 16}) {
        const std::string what = std::to_string(count) + " shards";
        LoneProcess alone;
        Shards shards(count, alone, pool);
        ShardedFoldStep step(network, variables, kItems, optimizer, shards, step_options, 0.0F);
        ASSERT_TRUE(step.compute(batch, any));
        EXPECT_NEAR(step.report().task_loss, expected.task_loss, 1e-4 * expected.task_loss);
        EXPECT_NEAR(step.report().regularizers.length, expected.regularizers.length,
                    1e-4 * expected.regularizers.length);
        expect_near(step.parameter_gradients().values(), whole.parameter_gradients().values(), what);
        expect_near(step.variable_gradients(), whole.variable_gradients(), kWidth, what);
      }
    }
  }
}

TEST(ShardedFoldStep, WithoutTargetsThereIsNoStep) {
  const std::vector<Event> dislikes = {{0, false}, {1, false}};
  HistoryBatch batch;
  batch.stretches = {{0, dislikes}};
  const LinnRecommenderOptions options = linn_fold_preset({1000, 0, 5}, 8);
  LogicNetwork network(options.network);
  EmbeddingTable variables("variables", 5, 8);
  Optimizer optimizer({}, network.parameters(), {&variables});
  ThreadPool pool(1);
  LoneProcess alone;
  Shards shards(2, alone, pool);
  ShardedFoldStep step(network, variables, 5, optimizer, shards, logic_step_options(options, 0.0F), 0.0F);
  Random random(1);
  step.run(batch, random);
  EXPECT_EQ(optimizer.steps(), 0U);
}

class ShardedQueryModel : public testing::TestWithParam<QueryTrial> {};
INSTANTIATE_TEST_SUITE_P(Models, ShardedQueryModel, testing::ValuesIn(kQueryTrials),
                         [](const auto& test) { return test.param.name; });

constexpr std::size_t kUsers = 5;
constexpr std::size_t kItems = 30;

template <class Batch>
void compare(const QueryTrial& trial, const NamedValues& options, const Batch& batch) {
  ThreadPool pool(2);
  Random random(1);
  for (const std::size_t count : {2, 16}) {
    const auto whole = make_trial(trial, options, kUsers, kItems, 0.3F);
    const auto sharded = make_trial(trial, options, kUsers, kItems, 0.3F);
    LoneProcess alone;
    Shards shards(count, alone, pool);
    sharded->use_shards(shards);
    const double loss = whole->training().compute(batch, random, pool);
    EXPECT_NEAR(sharded->training().compute(batch, random, pool), loss, 1e-4 * loss);
    expect_near(sharded->training().parameter_gradients().values(), whole->training().parameter_gradients().values(),
                "parameters");
    std::size_t number = 0;
    for (const auto& table : whole->network().tables()) {
      if (!table) continue;
      expect_near(sharded->training().table_gradients()[number], whole->training().table_gradients()[number],
                  table->width(), table->name());
      ++number;
    }
    // The mean query vector, too.
    for (QueryModel* model : {whole.get(), sharded.get()}) model->end_epoch(pool);
    expect_near(sharded->network().newcomer(), whole->network().newcomer(), "newcomer");
  }
}

TEST_P(ShardedQueryModel, HasTheGradientsOfTheWholeStep) {
  const RandomQueries queries(23, kUsers, kItems, 4, 3);
  compare(GetParam(), trial_options(GetParam(), 6), queries.batch());
}

class ShardedHistoryModel : public testing::TestWithParam<QueryTrial> {};
INSTANTIATE_TEST_SUITE_P(Models, ShardedHistoryModel, testing::ValuesIn(history_trials()),
                         [](const auto& test) { return test.param.name; });

TEST_P(ShardedHistoryModel, HasTheGradientsOfTheWholeStep) {
  RandomStretches stretches(GetParam(), 13, kUsers, kItems, 5);
  compare(GetParam(), history_trial_options(GetParam(), 6), stretches.batch());
  stretches.batch().negatives = {6, 2, 6, 0, 3};
  stretches.batch().negative_log_counts = {-0.3F, 0.2F, -0.3F, 0.5F, -1.0F};
  compare(GetParam(), history_trial_options(GetParam(), 6), stretches.batch());
}

}  // namespace
}  // namespace linn
