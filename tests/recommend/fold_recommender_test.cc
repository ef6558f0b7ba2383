#include "linn/recommend/linn/fold_recommender.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linn/base/logistic.h"
#include "linn/kernels/elementwise.h"
#include "linn/nn/module_rows.h"
#include "linn/recommend/protocol/stretches.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn_trial.h"
#include "support/allocation_count.h"
#include "support/expect_error.h"
#include "support/gradient_check.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 40;

// Runs with both formulas of AND.
class FoldStepTest : public testing::TestWithParam<Structure> {};
class FoldRecommenderTest : public testing::TestWithParam<Structure> {};

std::string structure_name(const testing::TestParamInfo<Structure>& info) {
  return info.param == Structure::kProduct ? "Product" : "MlpProduct";
}
const auto kStructures = testing::Values(Structure::kProduct, Structure::kMlpProduct);
INSTANTIATE_TEST_SUITE_P(Structures, FoldStepTest, kStructures, structure_name);
INSTANTIATE_TEST_SUITE_P(Structures, FoldRecommenderTest, kStructures, structure_name);

LinnRecommenderOptions small_options(Structure and_structure, std::size_t width = 12) {
  LinnRecommenderOptions options = linn_fold_preset({1000, 0, kItems}, width);
  options.network.and_structure = and_structure;
  options.history = 8;
  options.epochs = 10;
  return options;
}

const Histories& small_histories() {
  static const Histories histories(kinds_of_items(20, kItems, 12, 5));
  return histories;
}

HistoryBatch random_stretches(const TrainingStretches& stretches, std::size_t count, Random& random) {
  HistoryBatch batch;
  for (std::size_t i = 0; i < count; ++i) {
    batch.stretches.push_back(stretches.list()[random.below(stretches.list().size())]);
  }
  return batch;
}

// Trains one epoch on random batches.
void train(FoldRecommender& model, std::size_t steps, Random& random, ThreadPool& pool,
           const Histories& histories = small_histories()) {
  const TrainingStretches stretches(histories, *model.training_window());
  for (std::size_t i = 0; i < steps; ++i) {
    model.train_on_histories(random_stretches(stretches, 6, random), random, pool);
  }
  model.end_epoch(pool);
}

// Everything that a step of its own needs.
struct Trial {
  explicit Trial(const LinnRecommenderOptions& options, std::size_t items, std::size_t users = 0,
                 std::size_t threads = 1)
      : pool(threads),
        network(options.network),
        variables("variables", items + users, options.network.width),
        optimizer(options.optimizer, network.parameters(), {&variables}),
        step(network, variables, items, optimizer, pool, logic_step_options(options, options.dropout)) {
    Random random(3);
    network.initialize_glorot(random);
    variables.initialize_normal(random, 0.5F);
  }

  ThreadPool pool;
  LogicNetwork network;
  EmbeddingTable variables;
  Optimizer optimizer;
  FoldStep step;
};

// Two users, one of them with a dislike between likes, and dislikes at the end that no target follows.
const std::vector<Event> kFirst = {{0, true}, {1, false}, {2, true}, {3, true}, {4, false}};
const std::vector<Event> kSecond = {{5, false}, {2, true}, {6, true}, {0, true}};

HistoryBatch two_users() {
  HistoryBatch batch;
  batch.stretches = {{0, kFirst}, {1, kSecond}};
  return batch;
}

// The score as the formulas have it, event by event: s_0 = F, s_k = OR(s_(k-1), e_k), score = T·AND(s, t).
float naive_score(const FoldRecommender& model, std::span<const Event> events, std::optional<UserId> user, ItemId item,
                  ThreadPool& pool) {
  ModuleRows modules(model.network(), pool);
  const std::size_t d = modules.width();
  std::vector<float> state(modules.false_row().data, modules.false_row().data + d);
  std::vector<float> event_vector(d);
  std::vector<float> next(d);
  const auto fold = [&](const float* operand) {
    modules.gate(Gate::kOr, 1, {state.data(), d}, {operand, d}, next.data());
    state = next;
  };
  if (user) fold(model.variables().row(model.items() + *user));
  for (const Event& event : events) {
    const float* vector = model.variables().row(event.item);
    if (event.liked) {
      fold(vector);
    } else {
      modules.negate(1, {vector, d}, event_vector.data());
      fold(event_vector.data());
    }
  }
  modules.gate(Gate::kAnd, 1, {state.data(), d}, {model.variables().row(item), d}, next.data());
  return dot(d, next.data(), modules.true_row().data);
}

TEST_P(FoldStepTest, TakesOneGateForEachEvent) {
  Trial trial(small_options(GetParam(), 6), 7);
  Random random(1);
  trial.step.compute(two_users(), random);
  // The last dislike of the first user and the last like of the second come after all prefixes.
  EXPECT_EQ(trial.step.plan().left.size(), 3U + 3U);
  EXPECT_EQ(trial.step.plan().roots.size(), 2U + 3U);
}

TEST_P(FoldStepTest, GradientsAreThoseOfTheMeanLoss) {
  for (const bool users : {false, true}) {
    for (const bool sampled : {false, true}) {
      LinnRecommenderOptions options = small_options(GetParam(), 6);
      options.law_weight = 0.0F;
      options.dropout = 0.0F;
      options.network.length_bound = users ? 1.5F : 0.0F;
      options.network.gate.output_bias = users;
      Trial trial(options, 7, users ? 2 : 0);
      HistoryBatch batch = two_users();
      batch.label_noise = 0.1;
      if (sampled) {
        batch.negatives = {1, 5, 5, 6, 0};
        batch.negative_log_counts = {0.3F, -0.2F, -0.2F, 0.1F, 0.5F};
      }
      Random random(1);
      const auto loss = [&] {
        trial.network.prepare();
        return trial.step.compute(batch, random).task_loss / 5.0;
      };
      loss();
      const ParameterGradients gradients = trial.step.parameter_gradients();
      std::vector<float> dense(trial.variables.values().size(), 0.0F);
      const SparseGradient& sparse = trial.step.variable_gradients();
      EXPECT_TRUE(std::ranges::is_sorted(sparse.rows));
      for (std::size_t i = 0; i < sparse.rows.size(); ++i) {
        std::copy_n(sparse.values + i * 6, 6, dense.data() + sparse.rows[i] * 6);
      }
      // Every pair of a target and an item has kinks of its own; smaller steps cross fewer.
      const double step = GetParam() == Structure::kMlpProduct ? 0.004 : 0.01;
      const GradientCheckOptions check = {.step = step, .scale = 0.5, .kinks = 0.1};
      expect_parameter_gradients(trial.network.parameters(), gradients, loss, check);
      EXPECT_TRUE(gradient_matches(trial.variables.values(), dense, loss, check));
    }
  }
}

// With every item drawn exactly as often as expected, the estimate of the partition is exact.
TEST_P(FoldStepTest, AllItemsAsNegativesAreTheWholeCatalogue) {
  Trial trial(small_options(GetParam(), 6), 7);
  HistoryBatch batch = two_users();
  Random random(1);
  const double whole = trial.step.compute(batch, random).task_loss;
  for (ItemId item = 0; item < 7; ++item) {
    batch.negatives.push_back(item);
    batch.negative_log_counts.push_back(0.0F);
  }
  Random again(1);
  EXPECT_NEAR(trial.step.compute(batch, again).task_loss, whole, 1e-5 * whole);
}

TEST_P(FoldStepTest, AllocatesNothingOnceItHasSeenTheLargestBatch) {
  Trial trial(small_options(GetParam(), 6), 7, 2);
  Random random(1);
  const HistoryBatch batch = two_users();
  for (int i = 0; i < 3; ++i) trial.step.run(batch, random);
  const std::size_t before = allocation_count();
  for (int i = 0; i < 3; ++i) trial.step.run(batch, random);
  EXPECT_EQ(allocation_count(), before);
}

// Modules that feed back strongly: without a bound the states of a long history would overflow.
TEST_P(FoldStepTest, LongHistoriesStayBounded) {
  LinnRecommenderOptions options = small_options(GetParam(), 16);
  Trial trial(options, 50);
  for (float& value : trial.network.parameters().values()) value *= 3.0F;
  trial.network.prepare();
  std::vector<Event> events;
  Random random(4);
  for (int i = 0; i < 1000; ++i) events.push_back({static_cast<ItemId>(random.below(50)), random.chance(0.6)});
  HistoryBatch batch;
  batch.stretches = {{0, events}};
  const StepReport report = trial.step.compute(batch, random);
  EXPECT_TRUE(std::isfinite(report.task_loss));
  EXPECT_LE(std::sqrt(report.regularizers.length / static_cast<double>(trial.step.plan().size())), 4.0 + 1e-3);
  for (const float gradient : trial.step.parameter_gradients().values()) ASSERT_TRUE(std::isfinite(gradient));
}

TEST_P(FoldRecommenderTest, ScoresAsTheFormulasSay) {
  for (const bool users : {false, true}) {
    LinnRecommenderOptions options = small_options(GetParam());
    options.user_vectors = users;
    Context context(1, 2);
    FoldRecommender model(options, small_histories(), context);
    Random random(2);
    train(model, 3, random, context.pool());
    std::vector<Event> history;
    for (int i = 0; i < 15; ++i) history.push_back({static_cast<ItemId>(random.below(kItems)), random.chance(0.7)});
    std::vector<Event> window;
    model.window().cut(history, window);
    ASSERT_EQ(window.size(), 8U);
    const std::optional<UserId> user = users ? std::optional<UserId>(3) : std::nullopt;
    std::vector<float> all(kItems);
    model.score_all({user, history}, all, context.pool());
    std::vector<ItemId> items(kItems);
    for (ItemId item = 0; item < kItems; ++item) items[item] = item;
    std::vector<float> some(kItems);
    const Query query = {user, history};
    model.score({&query, 1}, items, kItems, some, context.pool());
    EXPECT_EQ(some, all);
    model.prepare_for_queries(context.pool());
    model.score_all({user, history}, some, context.pool());
    EXPECT_EQ(some, all);
    for (ItemId item = 0; item < kItems; ++item) {
      EXPECT_NEAR(all[item], naive_score(model, window, user, item, context.pool()), 1e-4);
    }
  }
}

TEST_P(FoldRecommenderTest, ScoresAreABaseAndTheSharesOfEvents) {
  for (const bool users : {false, true}) {
    LinnRecommenderOptions options = small_options(GetParam());
    options.user_vectors = users;
    options.network.gate.output_bias = users;
    Context context(1, 1);
    FoldRecommender model(options, small_histories(), context);
    Random random(2);
    train(model, 5, random, context.pool());
    const std::vector<Event> history = {{1, true}, {4, false}, {7, true}, {9, true}, {2, false}};
    const std::vector<ItemId> items = {0, 11, 30};
    const std::optional<UserId> user = users ? std::optional<UserId>(3) : std::nullopt;
    const auto shares = model.score_shares({user, history}, items, context.pool());
    ASSERT_TRUE(shares);
    ASSERT_EQ(shares->shares.size(), history.size() * items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      double sum = shares->bases[i];
      EXPECT_NEAR(sum, naive_score(model, {}, user, items[i], context.pool()), 1e-5);
      for (std::size_t e = 0; e < history.size(); ++e) sum += shares->shares[e * items.size() + i];
      EXPECT_NEAR(sum, naive_score(model, history, user, items[i], context.pool()), 1e-5);
    }
    // The state of one event is OR(F, e).
    const auto truths = model.clause_truths(history, items, context.pool());
    for (std::size_t e = 0; e < history.size(); ++e) {
      const float score = naive_score(model, std::span(history).subspan(e, 1), std::nullopt, items[1], context.pool());
      EXPECT_NEAR(truths[e * items.size() + 1], logistic(score), 1e-5);
    }
  }
}

TEST_P(FoldRecommenderTest, DoesNotDependOnTheNumberOfThreads) {
  std::vector<float> first;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    Context context(1, threads);
    LinnRecommenderOptions options = small_options(GetParam());
    options.law_weight = 0.1F;
    options.law_share = 0.5F;
    options.user_vectors = true;
    FoldRecommender model(options, small_histories(), context);
    Random random(2);
    train(model, 5, random, context.pool());
    const std::vector<float> scores = scores_of(model, context.pool());
    if (first.empty()) first = scores;
    EXPECT_EQ(scores, first);
  }
}

TEST_P(FoldRecommenderTest, ResumesBitForBit) {
  TempFolder folder;
  LinnRecommenderOptions options = small_options(GetParam());
  options.law_boost = 5.0F;
  options.law_boost_share = 0.5F;
  options.law_weight = 0.1F;
  expect_resumes_bit_for_bit<FoldRecommender>(
      options, small_histories(), folder / "state",
      [](FoldRecommender& model, Random& random, ThreadPool& pool) { train(model, 4, random, pool); });
}

TEST_P(FoldRecommenderTest, LearnsWhatUsersLike) {
  Context context(1, 2);
  LinnRecommenderOptions options = small_options(GetParam());
  options.optimizer.learning_rate = 5e-3;
  const Histories histories(kinds_of_items(300, kItems, 12, 6));
  FoldRecommender model(options, histories, context);
  Random random(2);
  for (int epoch = 0; epoch < 5; ++epoch) train(model, 60, random, context.pool(), histories);
  // Users like either the even or the odd items.
  const std::vector<Event> even = {{0, true}, {3, false}, {6, true}, {8, true}};
  std::vector<float> scores(kItems);
  model.score_all({std::nullopt, even}, scores, context.pool());
  double difference = 0.0;
  for (std::size_t item = 0; item < kItems; ++item) difference += item % 2 == 0 ? scores[item] : -scores[item];
  EXPECT_GT(difference / kItems, 1.0);
}

TEST_P(FoldRecommenderTest, SavesAndLoads) {
  LinnRecommenderOptions options = small_options(GetParam());
  options.user_vectors = true;
  Context context(1, 1);
  const InteractionData data = kinds_of_items(20, kItems, 12, 5);
  FoldRecommender model(options, small_histories(), context);
  Random random(2);
  train(model, 3, random, context.pool());
  const auto kind = linn_kind();
  RecommenderDescription description{kind.get(), nullptr, {data.users, data.items, {}}};
  description.settings = std::make_unique<SettingsOf<LinnRecommenderOptions>>(options, linn_recommender_option_table());
  SafetensorsWriter out;
  description.write(out);
  model.add_values(out, {});
  const TrainedRecommender loaded =
      load_recommender(SafetensorsFile::parse(out.to_bytes(), "model"), recommender_registry());
  EXPECT_EQ(scores_of(*loaded.model, context.pool()), scores_of(model, context.pool()));
}

TEST(FoldRecommender, RefusesWhatItCannotFold) {
  const RecommenderKind& kind = recommender_registry().require("linn");
  const auto refused = [&](std::vector<std::pair<std::string, std::string>> changed, const std::string& about) {
    changed.insert(changed.begin(), {"form", "fold"});
    expect_input_error([&] { kind.settings(Preset::kBest, {1000, 10, 50}, changed); }, 0, 0, about);
  };
  refused({{"and_structure", "mlp"}}, "and_structure=product");
  refused({{"and_structure", "mlp_product"}, {"gate_depth", "2"}}, "gate_depth=1");
  refused({{"and_structure", "mlp_product"}, {"gate_activation", "tanh"}}, "gate_activation=relu");
  refused({{"similarity", "cosine"}}, "similarity=dot");
  refused({{"loss", "bpr"}}, "loss=softmax");
  refused({{"order", "random"}}, "order must be fixed");
  refused({{"negative_sampling", "popularity"}}, "negative_sampling");
  refused({{"clause_order", "2"}}, "no clauses of order 2");
}

}  // namespace
}  // namespace linn
