#include "linn/recommend/protocol/ranking_ensemble.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "linn/recommend/protocol/stretches.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/reasons/explanation.h"
#include "linn/recommend/recommender_registry.h"
#include "linn_trial.h"
#include "support/state_file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 40;
constexpr std::size_t kMembers = 3;
const std::vector<Event> kHistory = {{1, true}, {4, false}, {7, true}};

const InteractionData& some_data() {
  static const InteractionData data = kinds_of_items(20, kItems, 12, 5);
  return data;
}

const Histories& some_histories() {
  static const Histories histories(some_data());
  return histories;
}

const RecommenderKind& kind_of(const std::string& name) { return recommender_registry().require(name); }

std::unique_ptr<Settings> settings_for(const std::string& name, std::size_t members) {
  NamedValues changed = {{"d", "12"}, {"negatives", "3"}, {"ensemble", std::to_string(members)}};
  if (name == "linn") changed.emplace_back("length", "1e-4");
  return kind_of(name).settings(Preset::kBest, {1000, 0}, changed);
}

std::unique_ptr<TrainableRankingModel> make(const std::string& name, Context& context, std::size_t members = kMembers) {
  return make_ranking_model(kind_of(name), *settings_for(name, members), some_histories(), context);
}

// A file with the description, but without tensors yet.
SafetensorsWriter file_of(const std::string& name, std::size_t members) {
  SafetensorsWriter out;
  RecommenderDescription{&kind_of(name), settings_for(name, members), {some_data().users, some_data().items, {}}}.write(
      out);
  return out;
}

TrainedRecommender load(const SafetensorsWriter& out) {
  return load_recommender(SafetensorsFile::parse(out.to_bytes(), "model"), recommender_registry());
}

void train(TrainableRankingModel& model, std::uint64_t seed, ThreadPool& pool) {
  Random random(seed);
  for (std::size_t i = 0; i < 4; ++i) {
    if (const auto window = model.training_window()) {
      const TrainingStretches stretches(some_histories(), *window);
      HistoryBatch batch;
      for (std::size_t k = 0; k < 6; ++k) {
        batch.stretches.push_back(stretches.list()[random.below(stretches.list().size())]);
      }
      model.train_on_histories(batch, random, pool);
    } else {
      model.train_step(some_batch(some_histories(), 16, 4, random), random, pool);
    }
  }
  model.end_epoch(pool);
}

std::vector<float> scores_of_user(const RankingModel& model, ThreadPool& pool) {
  std::vector<float> scores(model.items());
  model.score_all({UserId{3}, kHistory}, scores, pool);
  return scores;
}

class RankingEnsembles : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RankingEnsembles, testing::Values("linn", "narm"),
                         [](const auto& test) { return test.param; });

// Loads the file of an ensemble as a whole, and each of its members on its own.
TEST_P(RankingEnsembles, ScoreTheMeanOfTheirMembers) {
  Context context(1, 2);
  const auto model = make(GetParam(), context);
  train(*model, 2, context.pool());
  SafetensorsWriter file = file_of(GetParam(), kMembers);
  model->add_values(file, {});
  const TrainedRecommender loaded = load(file);
  const std::vector<float> scores = scores_of_user(*loaded.model, context.pool());
  EXPECT_EQ(scores, scores_of_user(*model, context.pool()));

  std::vector<std::vector<float>> single;
  for (std::size_t i = 0; i < kMembers; ++i) {
    // The tensors of one member, without the prefix.
    const SafetensorsFile in = SafetensorsFile::parse(file.to_bytes(), "model");
    const std::string prefix = member_prefix(i);
    SafetensorsWriter out = file_of(GetParam(), 1);
    for (const TensorInfo& tensor : in.tensors()) {
      if (!tensor.name.starts_with(prefix)) continue;
      const std::string name = tensor.name.substr(prefix.size());
      if (tensor.dtype == DType::kF32) out.add(name, tensor.shape, in.values<float>(tensor.name));
      if (tensor.dtype == DType::kU32) out.add(name, tensor.shape, in.values<std::uint32_t>(tensor.name));
    }
    single.push_back(scores_of_user(*load(out).model, context.pool()));
  }
  EXPECT_NE(single[0], single[1]);
  EXPECT_NE(single[1], single[2]);
  for (std::size_t i = 0; i < kItems; ++i) {
    EXPECT_NEAR(scores[i], (single[0][i] + single[1][i] + single[2][i]) / 3.0F, 1e-5F);
  }

  // score() agrees with score_all().
  const std::vector<Query> queries = {{UserId{3}, kHistory}, {UserId{3}, kHistory}};
  const std::vector<ItemId> items = {5, 0, 39, 7};
  std::vector<float> some(4);
  loaded.model->prepare_for_queries(context.pool());
  loaded.model->score(queries, items, 2, some, context.pool());
  for (std::size_t i = 0; i < items.size(); ++i) EXPECT_NEAR(some[i], scores[items[i]], 1e-4F);
}

TEST_P(RankingEnsembles, ResumeBitForBitOnAnyNumberOfThreads) {
  const TempFolder folder;
  Context two(1, 2);
  const auto straight = make(GetParam(), two);
  train(*straight, 2, two.pool());
  save_state(*straight, folder / "state");
  train(*straight, 3, two.pool());

  Context one(9, 1);
  const auto resumed = make(GetParam(), one);
  load_state(*resumed, folder / "state");
  train(*resumed, 3, one.pool());
  EXPECT_EQ(scores_of_user(*resumed, one.pool()), scores_of_user(*straight, two.pool()));
  for (TrainableRankingModel* model : {straight.get(), resumed.get()}) model->swap_average(one.pool());
  EXPECT_EQ(scores_of_user(*resumed, one.pool()), scores_of_user(*straight, two.pool()));

  const auto larger = make(GetParam(), one, kMembers + 1);
  EXPECT_THROW(load_state(*larger, folder / "state"), InputError);
}

TEST(RankingEnsemble, ReasonsIfItsMembersDo) {
  Context context(1, 1);
  EXPECT_EQ(make("narm", context)->reasoning(), nullptr);

  const auto model = make("linn", context);
  train(*model, 2, context.pool());
  ASSERT_NE(model->reasoning(), nullptr);
  EXPECT_EQ(model->reasoning()->counts(), count_items(some_histories()));
  const std::vector<ItemId> items = {5, 9};
  const auto explanations = explain(*model, {std::nullopt, kHistory}, items, context.pool());
  const std::vector<float> truths = model->reasoning()->clause_truths(kHistory, items, context.pool());
  for (const Reason& reason : explanations[1].reasons) {
    const auto event = static_cast<std::size_t>(std::ranges::find(kHistory, reason.event) - kHistory.begin());
    EXPECT_EQ(reason.weight, truths[event * 2 + 1]);
  }
  // Means of the members' metrics: laws and length.
  ASSERT_EQ(model->epoch_metrics().size(), 2U);
  EXPECT_EQ(model->epoch_metrics()[0].values.size(), kLaws);
  EXPECT_GT(model->epoch_metrics()[1].values.at(0), 0.0);
}

}  // namespace
}  // namespace linn
