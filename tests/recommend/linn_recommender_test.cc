#include "linn/recommend/linn/linn_recommender.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn_trial.h"
#include "support/allocation_count.h"
#include "support/expect_error.h"
#include "support/state_file.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 40;

LinnRecommenderOptions small_options(Preset preset) {
  LinnRecommenderOptions options = linn_recommender_preset(preset, {1000, 0}, 12);
  options.negatives = 3;
  options.epochs = 10;
  return options;
}

const Histories& small_histories() {
  static const Histories histories(kinds_of_items(20, kItems, 12, 5));
  return histories;
}

std::vector<float> scores_of(const RankingModel& model, ThreadPool& pool) {
  const std::vector<Event> history = {{1, true}, {4, false}, {7, true}};
  std::vector<float> scores(model.items());
  model.score_all({std::nullopt, history}, scores, pool);
  return scores;
}

// Steps from one source of batches and randomness.
void train(LinnRecommender& model, std::size_t steps, Random& random, ThreadPool& pool) {
  for (std::size_t i = 0; i < steps; ++i) {
    const RankingBatch batch = some_batch(small_histories(), 16, 4, random);
    model.train_step(batch, random, pool);
  }
  model.end_epoch(pool);
}

TEST(LinnRecommender, LearnsWhatUsersLike) {
  for (const Preset preset : {Preset::kPaper, Preset::kAuthors, Preset::kBest}) {
    LinnRecommenderOptions options = small_options(preset);
    options.optimizer.learning_rate = 0.01;
    options.dropout = 0.0F;
    Context context(1, 1);
    LinnRecommender model(options, small_histories(), context);
    Random random(2);
    const RankingBatch batch = some_batch(small_histories(), 64, 4, random);
    const double before = model.train_step(batch, random, context.pool());
    for (int i = 0; i < 60; ++i) model.train_step(batch, random, context.pool());
    const double after = model.train_step(batch, random, context.pool());
    EXPECT_LT(after, 0.95 * before);
  }
}

TEST(LinnRecommender, DoesNotDependOnTheNumberOfThreads) {
  std::vector<float> first;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    Context context(1, threads);
    LinnRecommender model(small_options(Preset::kBest), small_histories(), context);
    Random random(2);
    train(model, 5, random, context.pool());
    const std::vector<float> scores = scores_of(model, context.pool());
    if (first.empty()) first = scores;
    EXPECT_EQ(scores, first);
  }
}

TEST(LinnRecommender, GoesOnBitForBit) {
  TempFolder folder;
  for (const bool user_vectors : {false, true}) {
    LinnRecommenderOptions options = small_options(Preset::kPaper);
    options.user_vectors = user_vectors;
    options.law_boost = 5.0F;  // depends on how many epochs there were
    options.law_boost_share = 0.5F;
    options.law_weight = 0.1F;
    options.average = 0.5;
    Context context(1, 2);
    LinnRecommender model(options, small_histories(), context);
    Random random(2);
    train(model, 4, random, context.pool());
    save_state(model, folder / "state");
    const Random::State state = random.state();
    train(model, 4, random, context.pool());

    Context other_context(9, 1);
    LinnRecommender other(options, small_histories(), other_context);
    load_state(other, folder / "state");
    random.set_state(state);
    train(other, 4, random, other_context.pool());
    EXPECT_EQ(scores_of(other, context.pool()), scores_of(model, context.pool()));
    EXPECT_TRUE(std::ranges::equal(other.variables().values(), model.variables().values()));
    EXPECT_EQ(other.epoch_metrics().back().values, model.epoch_metrics().back().values);
    for (LinnRecommender* trained : {&model, &other}) trained->swap_average(context.pool());
    EXPECT_EQ(scores_of(other, context.pool()), scores_of(model, context.pool()));

    LinnRecommenderOptions wider = options;
    wider.network.width = 13;
    LinnRecommender misfit(wider, small_histories(), context);
    EXPECT_THROW(load_state(misfit, folder / "state"), InputError);
  }
}

TEST(LinnRecommender, AnswersWithTheAverageOfItsWeightsWhereAsked) {
  LinnRecommenderOptions options = small_options(Preset::kPaper);
  options.average = 0.25;
  Context context(1, 1);
  LinnRecommender model(options, small_histories(), context);
  Random random(2);
  const auto values = [&] {
    return std::vector<float>(model.variables().values().begin(), model.variables().values().end());
  };
  train(model, 2, random, context.pool());
  const std::vector<float> first = values();
  train(model, 2, random, context.pool());
  const std::vector<float> second = values();
  const std::vector<float> scores = scores_of(model, context.pool());
  model.swap_average(context.pool());
  const std::vector<float> average = values();
  for (std::size_t i = 0; i < average.size(); ++i) EXPECT_NEAR(average[i], 0.25F * first[i] + 0.75F * second[i], 1e-6F);
  EXPECT_NE(scores_of(model, context.pool()), scores);
  model.swap_average(context.pool());
  EXPECT_EQ(values(), second);
  EXPECT_EQ(scores_of(model, context.pool()), scores);
}

TEST(LinnRecommender, SavesAndLoads) {
  TempFolder folder;
  for (const bool user_vectors : {false, true}) {
    LinnRecommenderOptions options = small_options(Preset::kAuthors);
    options.user_vectors = user_vectors;
    options.history = 4;
    Context context(1, 2);
    const InteractionData data = kinds_of_items(20, kItems, 12, 5);
    LinnRecommender model(options, small_histories(), context);
    Random random(2);
    train(model, 3, random, context.pool());
    Catalogue catalogue{data.users, data.items, std::vector<std::string>(kItems, "a title")};
    const auto kind = linn_without_laws_kind();
    RecommenderDescription description{kind.get(), nullptr, std::move(catalogue)};
    description.settings = std::make_unique<SettingsOf<LinnRecommenderOptions>>(options, linn_recommender_option_table());
    SafetensorsWriter out;
    description.write(out);
    model.add_values(out, {});

    const TrainedRecommender loaded =
        load_recommender(SafetensorsFile::parse(out.to_bytes(), "model"), recommender_registry());
    EXPECT_EQ(loaded.kind->name(), "linn-rl");
    EXPECT_EQ(loaded.catalogue.titles[3], "a title");
    const auto& read = dynamic_cast<const LinnRecommender&>(*loaded.model);
    EXPECT_EQ(scores_of(read, context.pool()), scores_of(model, context.pool()));
    EXPECT_EQ(read.counts(), model.counts());
    EXPECT_EQ(read.window().length, 4U);
    std::vector<float> scores(kItems);
    std::vector<float> read_scores(kItems);
    model.score_all({UserId{3}, {}}, scores, context.pool());
    read.score_all({UserId{3}, {}}, read_scores, context.pool());
    EXPECT_EQ(scores, read_scores);
    // One that was loaded for asking is not trained.
    const RankingBatch batch = some_batch(small_histories(), 2, 2, random);
    EXPECT_THROW(const_cast<LinnRecommender&>(read).train_step(batch, random, context.pool()), Failure);
  }
}

TEST(LinnRecommender, GroupsWithNothingToArgueHaveNoPart) {
  LinnRecommenderOptions options = small_options(Preset::kAuthors);
  options.dislikes = DislikeMode::kNone;
  Context context(1, 1);
  const std::vector<Event> likes = {{1, true}, {2, false}};
  const std::vector<Event> dislikes = {{1, false}, {2, false}};
  std::vector<float> values;
  for (const bool with_empty : {false, true}) {
    LinnRecommender model(options, small_histories(), context);
    RankingBatch batch;
    batch.group = 2;
    Random random(4);
    if (with_empty) {
      batch.queries.push_back({std::nullopt, dislikes});
      batch.items = {9, 10};
      EXPECT_EQ(model.train_step(batch, random, context.pool()), 0.0);
    }
    batch.queries.push_back({std::nullopt, likes});
    batch.items.insert(batch.items.end(), {5, 6});
    EXPECT_GT(model.train_step(batch, random, context.pool()), 0.0);
    model.end_epoch(context.pool());
    const auto now = model.variables().values();
    if (values.empty()) values.assign(now.begin(), now.end());
    EXPECT_TRUE(std::ranges::equal(values, now));
  }
}

TEST(LinnRecommender, AStepAllocatesNothing) {
  for (const Preset preset : {Preset::kPaper, Preset::kAuthors, Preset::kBest}) {
    Context context(1, 2);
    LinnRecommenderOptions options = small_options(preset);
    options.random_order = false;  // or a plan may be deeper than all before, and need more
    LinnRecommender model(options, small_histories(), context);
    Random random(2);
    const RankingBatch batch = some_batch(small_histories(), 32, 4, random);
    for (int i = 0; i < 3; ++i) model.train_step(batch, random, context.pool());
    const std::size_t before = allocation_count();
    for (int i = 0; i < 5; ++i) model.train_step(batch, random, context.pool());
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST(LinnRecommender, RefusesWhatDoesNotGoTogether) {
  LinnRecommenderOptions options = small_options(Preset::kAuthors);
  options.clause_order = 2;
  Context context(1, 1);
  expect_input_error([&] { LinnRecommender(options, small_histories(), context); }, 0, 0,
                     "order 2");
}

TEST(LinnRecommender, ReportsItsRegularizers) {
  Context context(1, 1);
  LinnRecommender model(small_options(Preset::kPaper), small_histories(), context);
  Random random(2);
  train(model, 2, random, context.pool());
  const auto figures = model.epoch_metrics();
  ASSERT_EQ(figures.size(), 2U);
  EXPECT_EQ(figures[0].values.size(), kLaws);
  EXPECT_EQ(figures[1].values.size(), 1U);
  for (const Metric& figure : figures) {
    for (const double value : figure.values) EXPECT_GT(value, 0.0) << figure.name;
  }
  LinnRecommenderOptions options = small_options(Preset::kPaper);
  options.law_weight = 0.0F;
  LinnRecommender without(options, small_histories(), context);
  EXPECT_EQ(without.epoch_metrics().size(), 1U);
}

}  // namespace
}  // namespace linn
