#include "linn/recommend/baselines/query_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "linn/recommend/protocol/trained_recommender.h"
#include "recommend/query_trial.h"
#include "support/expect_error.h"
#include "support/state_file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

class QueryModels : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, QueryModels, testing::ValuesIn(kQueryTrials),
                         [](const auto& test) { return test.param.name; });

constexpr std::size_t kUsers = 20;
constexpr std::size_t kItems = 40;

// Trains on random batches, so many steps an epoch.
void train(QueryModel& model, ThreadPool& threads, std::uint64_t epoch, std::size_t steps = 3) {
  Random random(100 + epoch);
  for (std::size_t step = 0; step < steps; ++step) {
    const RandomQueries queries(150, kUsers, kItems, 4, 10 * epoch + step);
    model.train_step(queries.batch(), random, threads);
  }
  model.end_epoch(threads);
}

TEST_P(QueryModels, TheNumberOfThreadsChangesNoBit) {
  std::vector<std::vector<float>> weights;
  std::vector<std::vector<float>> scores;
  const RandomQueries queries(150, kUsers, kItems, 4, 77);
  for (const std::size_t count : {1, 2, 3}) {
    ThreadPool threads(count);
    const auto model = make_trial(GetParam(), trial_options(GetParam(), 8, 0.2), kUsers, kItems, 0.1F);
    train(*model, threads, 1);
    weights.push_back(weights_of(*model));
    scores.push_back(scores_of(*model, queries.batch(), threads));
  }
  for (std::size_t i = 1; i < weights.size(); ++i) {
    EXPECT_EQ(weights[i], weights[0]);
    EXPECT_EQ(scores[i], scores[0]);
  }
}

TEST_P(QueryModels, AQueryIsScoredTheSameAloneAmongOthersAndForAllItems) {
  ThreadPool threads(2);
  const auto model = make_trial(GetParam(), trial_options(GetParam(), 8, 0.2), kUsers, kItems, 0.3F);
  train(*model, threads, 1);
  const RandomQueries queries(70, kUsers, kItems, 4, 5);
  const RankingBatch& batch = queries.batch();
  const std::vector<float> together = scores_of(*model, batch, threads);
  std::vector<float> all(kItems);
  for (std::size_t i = 0; i < batch.queries.size(); ++i) {
    model->score_all(batch.queries[i], all, threads);
    std::vector<float> alone(batch.group);
    const auto items = std::span(batch.items).subspan(i * batch.group, batch.group);
    model->score({&batch.queries[i], 1}, items, batch.group, alone, threads);
    for (std::size_t k = 0; k < batch.group; ++k) {
      EXPECT_EQ(alone[k], together[i * batch.group + k]);
      EXPECT_EQ(all[items[k]], alone[k]);
      EXPECT_TRUE(std::isfinite(alone[k]));
    }
  }
}

Catalogue numbered_catalogue() {
  Catalogue catalogue;
  for (std::size_t i = 0; i < kUsers; ++i) catalogue.users.intern("u" + std::to_string(i));
  for (std::size_t i = 0; i < kItems; ++i) catalogue.items.intern("i" + std::to_string(i));
  return catalogue;
}

TEST_P(QueryModels, AFileHoldsTheWholeModel) {
  ThreadPool threads(1);
  const auto model = make_trial(GetParam(), trial_options(GetParam(), 8), kUsers, kItems, 0.3F);
  train(*model, threads, 1);
  const RecommenderKind& kind = recommender_registry().require(GetParam().kind);
  const RecommenderDescription description{&kind, kind.settings(Preset::kPaper, {}, trial_options(GetParam(), 8)),
                                           numbered_catalogue()};
  SafetensorsWriter out;
  description.write(out);
  model->add_values(out, {});

  const auto loaded = load_recommender(SafetensorsFile::parse(out.to_bytes(), "model"), recommender_registry());
  EXPECT_EQ(loaded.kind->name(), GetParam().kind);
  const RandomQueries queries(70, kUsers, kItems, 4, 5);
  EXPECT_EQ(scores_of(*loaded.model, queries.batch(), threads), scores_of(*model, queries.batch(), threads));
}

TEST_P(QueryModels, AResumedTrainingGoesOnBitForBit) {
  ThreadPool threads(1);
  const TempFolder folder;
  NamedValues options = trial_options(GetParam(), 8, 0.1);
  options.emplace_back("average", "0.5");
  const auto straight = make_trial(GetParam(), options, kUsers, kItems, 0.1F);
  train(*straight, threads, 1);
  save_state(*straight, folder / "state.safetensors");
  train(*straight, threads, 2);

  const auto resumed = make_trial(GetParam(), options, kUsers, kItems, 0.1F, 999);
  load_state(*resumed, folder / "state.safetensors");
  train(*resumed, threads, 2);
  EXPECT_EQ(weights_of(*resumed), weights_of(*straight));
  const auto last = weights_of(*straight);
  for (TrainableRankingModel* model : {straight.get(), resumed.get()}) model->swap_average(threads);
  EXPECT_EQ(weights_of(*resumed), weights_of(*straight));
  EXPECT_NE(weights_of(*straight), last);
}

TEST(QueryModelFiles, AStateOfAnotherModelIsRefused) {
  const TempFolder folder;
  const QueryTrial gru = {"gru4rec", "none", ""};
  const QueryTrial narm = {"narm", "none", ""};
  save_state(*make_trial(gru, trial_options(gru, 8), kUsers, kItems, 0.1F), folder / "state");
  const auto load_into = [&](const QueryTrial& trial, std::size_t width) {
    load_state(*make_trial(trial, trial_options(trial, width), kUsers, kItems, 0.1F), folder / "state");
  };
  expect_input_error([&] { load_into(narm, 8); }, 0, 0, "", "state");
  expect_input_error([&] { load_into(gru, 12); }, 0, 0, "", "state");
}

TEST(QueryModelOptions, HeadsMustDivideTheWidth) {
  const QueryTrial sasrec = {"sasrec", "none", ""};
  NamedValues options = trial_options(sasrec, 8);
  options.emplace_back("heads", "3");
  expect_input_error([&] { make_trial(sasrec, options, kUsers, kItems, 0.1F); }, 0, 0, "heads");
}

// The mean query's scores are the mean scores (the bias being the same in all).
TEST_P(QueryModels, ANewcomerGetsTheMeanOfTheEpochsScores) {
  ThreadPool threads(1);
  NamedValues options = trial_options(GetParam(), 8);
  options.emplace_back("learning_rate", "1e-9");  // so that the epoch's queries can be computed again
  options.emplace_back("weight_decay", "0");
  const auto model = make_trial(GetParam(), options, kUsers, kItems, 0.3F);
  const RandomQueries queries(100, kUsers, kItems, 4, 21);
  Random random(1);
  model->train_step(queries.batch(), random, threads);
  model->end_epoch(threads);

  QueryPass pass(model->network());
  pass.bind(queries.batch().queries);
  pass.forward(nullptr);
  std::vector<double> sum(8, 0.0);
  const auto count = static_cast<double>(pass.add_known_queries(sum));
  ASSERT_GT(count, 0);
  ASSERT_LT(count, 100);
  std::vector<float> scores(kItems);
  model->score_all({std::nullopt, {}}, scores, threads);
  const auto& tables = model->network().tables();
  for (std::size_t item = 0; item < kItems; ++item) {
    double expected = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      expected += sum[j] / count * static_cast<double>(tables[QueryTable::kItems]->row(item)[j]);
    }
    if (const auto& biases = tables[QueryTable::kItemBiases]) expected += static_cast<double>(*biases->row(item));
    EXPECT_NEAR(scores[item], expected, 1e-5) << item;
  }
}

// Of an unknown user SVD++ knows the history, and BPRMF nothing.
TEST(QueryModelUsers, AnUnknownUserIsKnownByTheHistoryAlone) {
  ThreadPool threads(1);
  const QueryTrial svdpp = {"svdpp", "none", ""};
  const auto model = make_trial(svdpp, trial_options(svdpp, 8), kUsers, kItems, 0.3F);
  std::ranges::fill(model->network().tables()[QueryTable::kUsers]->values(), 0.0F);
  const std::vector<Event> history = {{3, true}, {5, false}, {7, true}};
  std::vector<float> unknown(kItems);
  std::vector<float> without_vector(kItems);
  model->score_all({std::nullopt, history}, unknown, threads);
  model->score_all({UserId{2}, history}, without_vector, threads);
  EXPECT_EQ(unknown, without_vector);

  const auto& tables = model->network().tables();
  const EmbeddingTable& implicit = *tables[QueryTable::kHistory];
  for (std::size_t item = 0; item < kItems; ++item) {
    double expected = 0;
    for (std::size_t j = 0; j < 8; ++j) {
      const double sum = static_cast<double>(implicit.row(3)[j]) + static_cast<double>(implicit.row(7)[j]);
      expected += sum / std::sqrt(2.0) * static_cast<double>(tables[QueryTable::kItems]->row(item)[j]);
    }
    EXPECT_NEAR(unknown[item], expected, 1e-5);
  }
}

}  // namespace
}  // namespace linn
