// Query models that learn from whole histories.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "recommend/query_trial.h"
#include "support/expect_error.h"
#include "support/random_interactions.h"
#include "support/state_file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kUsers = 20;
constexpr std::size_t kItems = 40;

class QueryHistories : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, QueryHistories, testing::ValuesIn(history_trials()),
                         [](const auto& test) { return test.param.name; });

// Two steps among all items, and one among negatives.
void train(QueryModel& model, const QueryTrial& trial, ThreadPool& threads, std::uint64_t epoch) {
  Random random(100 + epoch);
  for (std::size_t step = 0; step < 3; ++step) {
    RandomStretches stretches(trial, 50, kUsers, kItems, 10 * epoch + step);
    if (step == 1) {
      for (std::size_t i = 0; i < 30; ++i) {
        stretches.batch().negatives.push_back(static_cast<ItemId>(random.below(kItems)));
        stretches.batch().negative_log_counts.push_back(-0.3F);
      }
    }
    model.train_on_histories(stretches.batch(), random, threads);
  }
  model.end_epoch(threads);
}

TEST_P(QueryHistories, EveryTargetHasTheVectorOfItsHistory) {
  const auto model = make_trial(GetParam(), history_trial_options(GetParam(), 8), kUsers, kItems, 0.5F);
  const RandomStretches stretches(GetParam(), 30, kUsers, kItems, 3);
  QueryPass whole(model->network());
  whole.bind(std::span(stretches.batch().stretches));
  const ConstMatrixView vectors = whole.forward(nullptr);
  ASSERT_EQ(vectors.rows, stretches.targets());

  // The same targets one at a time, in any order.
  using Row = std::pair<ItemId, std::vector<float>>;
  const auto row_of = [](ItemId item, const float* vector) { return Row(item, std::vector(vector, vector + 8)); };
  std::vector<Row> rows;
  for (std::size_t i = 0; i < vectors.rows; ++i) rows.push_back(row_of(whole.targets()[i], vectors.row(i)));
  QueryPass single(model->network());
  for (const Stretch& stretch : stretches.batch().stretches) {
    for (std::size_t i = 1; i < stretch.events.size(); ++i) {
      if (!stretch.events[i].liked) continue;
      // SASRec counts positions from the end of the whole stretch.
      const bool last = std::ranges::none_of(stretch.events.subspan(i + 1), &Event::liked);
      if (GetParam().kind == "sasrec" && !last) continue;
      const Query query = {stretch.user, stretch.events.first(i)};
      single.bind(std::span(&query, 1));
      EXPECT_TRUE(std::ranges::count(rows, row_of(stretch.events[i].item, single.forward(nullptr).row(0))) >= 1);
    }
  }
}

TEST_P(QueryHistories, TheNumberOfThreadsChangesNoBit) {
  std::vector<std::vector<float>> weights;
  for (const std::size_t count : {1, 2, 3}) {
    ThreadPool threads(count);
    const auto model = make_trial(GetParam(), history_trial_options(GetParam(), 8, 0.2), kUsers, kItems, 0.1F);
    train(*model, GetParam(), threads, 1);
    weights.push_back(weights_of(*model));
  }
  EXPECT_EQ(weights[1], weights[0]);
  EXPECT_EQ(weights[2], weights[0]);
}

TEST_P(QueryHistories, AResumedTrainingGoesOnBitForBit) {
  ThreadPool threads(2);
  const TempFolder folder;
  const NamedValues options = history_trial_options(GetParam(), 8, 0.1);
  const auto straight = make_trial(GetParam(), options, kUsers, kItems, 0.1F);
  train(*straight, GetParam(), threads, 1);
  save_state(*straight, folder / "state.safetensors");
  train(*straight, GetParam(), threads, 2);
  const auto resumed = make_trial(GetParam(), options, kUsers, kItems, 0.1F, 999);
  load_state(*resumed, folder / "state.safetensors");
  train(*resumed, GetParam(), threads, 2);
  EXPECT_EQ(weights_of(*resumed), weights_of(*straight));
}

double ndcg(const std::string& name, const NamedValues& options) {
  const InteractionData data = random_interactions({.users = 150, .items = 60, .groups = 5});
  const RecommenderKind& kind = recommender_registry().require(name);
  const auto settings = kind.settings(Preset::kBest, {1000, 150, 60}, options);
  Context context(3, 2);
  const auto learned =
      learn_recommender(kind, *settings, {"recommend", name, "", 3, settings->values(), ""}, data, {}, context);
  const std::vector<std::size_t> ks = {10};
  return ranking_metrics(learned.test, ks).at_k(10).ndcg.mean;
}

TEST_P(QueryHistories, LearnMoreThanPopularity) {
  const double popularity = ndcg("popularity", {});
  for (const char* negatives : {"0", "20"}) {
    NamedValues options = history_trial_options(GetParam(), 16);
    options.insert(options.end(),
                   {{"learning_rate", "0.01"}, {"batch", "32"}, {"epochs", "15"}, {"negatives", negatives}});
    EXPECT_GT(ndcg(GetParam().kind, options), popularity + 0.1) << negatives << " negatives";
  }
}

TEST(QueryHistoryEnsemble, TrainsItsMembersSideBySide) {
  const QueryTrial trial = {"gru4rec", "none", ""};
  const InteractionData data = random_interactions({.users = kUsers, .items = kItems});
  const Histories histories(data);
  const RecommenderKind& kind = recommender_registry().require(trial.kind);
  const RandomStretches stretches(trial, 50, kUsers, kItems, 1);
  const auto scores_after = [&](const char* members, std::size_t thread_count) {
    NamedValues options = history_trial_options(trial, 8, 0.2);
    options.emplace_back("ensemble", members);
    Context context(3, thread_count);
    const auto model = make_ranking_model(kind, *kind.settings(Preset::kBest, {}, options), histories, context);
    EXPECT_EQ(model->training_window()->length, 4U);
    Random random(7);
    const double loss = model->train_on_histories(stretches.batch(), random, context.pool());
    // Untrained models choose evenly among all items.
    EXPECT_NEAR(loss / static_cast<double>(stretches.targets()), std::log(static_cast<double>(kItems)), 0.2);
    model->end_epoch(context.pool());
    std::vector<float> scores(kItems);
    model->score_all({std::nullopt, stretches.batch().stretches[0].events}, scores, context.pool());
    return scores;
  };
  EXPECT_EQ(scores_after("3", 1), scores_after("3", 2));
  EXPECT_NE(scores_after("3", 1), scores_after("1", 1));
}

TEST(QueryHistoryOptions, MustFitTogether) {
  const RecommenderKind& kind = recommender_registry().require("sasrec");
  const auto with = [&](const NamedValues& options) { kind.settings(Preset::kBest, {}, options); };
  EXPECT_NO_THROW(with({{"train_on", "histories"}, {"negatives", "0"}}));
  expect_input_error([&] { with({{"negatives", "0"}}); }, 0, 0, "negatives");
  expect_input_error([&] { with({{"train_on", "histories"}, {"loss", "bpr"}}); }, 0, 0, "loss");
}

}  // namespace
}  // namespace linn
