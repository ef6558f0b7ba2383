#include "linn/recommend/linn/linn_recommender.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn_trial.h"
#include "support/allocation_count.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 40;

LinnRecommenderOptions small_options(Preset preset) {
  LinnRecommenderOptions options = linn_clause_preset(preset, {1000, 0}, 12);
  options.negatives = 3;
  options.epochs = 10;
  return options;
}

const Histories& small_histories() {
  static const Histories histories(kinds_of_items(20, kItems, 12, 5));
  return histories;
}

// Trains one epoch on random batches.
void train(LinnRecommender& model, std::size_t steps, Random& random, ThreadPool& pool) {
  for (std::size_t i = 0; i < steps; ++i) {
    const RankingBatch batch = some_batch(small_histories(), 16, 4, random);
    model.train_step(batch, random, pool);
  }
  model.end_epoch(pool);
}

// Users like either the even or the odd items. Returns the probability that an unseen item of the liked half scores
// higher than one of the other half, averaged over users: 0.5 for a random model.
double auc_of(const LinnRecommender& model, const Histories& histories, ThreadPool& pool) {
  double pairs = 0.0;
  double right = 0.0;
  std::vector<float> scores(kItems);
  for (UserId user = 0; user < histories.users(); ++user) {
    const auto history = histories.events(user);
    model.score_all({user, history}, scores, pool);
    std::vector<bool> seen(kItems, false);
    for (const Event& event : history) seen[event.item] = true;
    for (ItemId liked = user % 2; liked < kItems; liked += 2) {
      for (ItemId other = 1 - user % 2; other < kItems; other += 2) {
        if (seen[liked] || seen[other]) continue;
        pairs += 1.0;
        right += scores[liked] > scores[other] ? 1.0 : 0.0;
      }
    }
  }
  return right / pairs;
}

TEST(LinnRecommender, LearnsWhatUsersLike) {
  const Histories histories(kinds_of_items(100, kItems, 20, 5));
  for (const Preset preset : {Preset::kPaper, Preset::kAuthors, Preset::kBest}) {
    LinnRecommenderOptions options = small_options(preset);
    options.optimizer.learning_rate = 0.01;
    options.init = 0.1F;
    options.dropout = 0.0F;
    Context context(1, 1);
    LinnRecommender model(options, histories, context);
    Random random(2);
    for (int i = 0; i < 300; ++i) model.train_step(some_batch(histories, 64, 4, random), random, context.pool());
    model.end_epoch(context.pool());
    EXPECT_GT(auc_of(model, histories, context.pool()), 0.95) << static_cast<int>(preset);
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

TEST(LinnRecommender, ResumesBitForBit) {
  TempFolder folder;
  for (const bool user_vectors : {false, true}) {
    LinnRecommenderOptions options = small_options(Preset::kPaper);
    options.user_vectors = user_vectors;
    options.law_boost = 5.0F;  // depends on the number of completed epochs
    options.law_boost_share = 0.5F;
    options.law_weight = 0.1F;
    options.average = 0.5;
    expect_resumes_bit_for_bit<LinnRecommender>(
        options, small_histories(), folder / "state",
        [](LinnRecommender& model, Random& random, ThreadPool& pool) { train(model, 4, random, pool); });

    LinnRecommenderOptions wider = options;
    wider.network.width = 13;
    Context context;
    LinnRecommender misfit(wider, small_histories(), context);
    EXPECT_THROW(load_state(misfit, folder / "state"), InputError);
  }
}

TEST(LinnRecommender, CanSwapItsWeightsForTheirAverage) {
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
    description.settings =
        std::make_unique<SettingsOf<LinnRecommenderOptions>>(options, linn_recommender_option_table());
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
  }
}

TEST(LinnRecommender, GroupsWithoutArgumentsTakeNoPart) {
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
    options.random_order = false;  // a plan in random order may be deeper than all before, and need more memory
    LinnRecommender model(options, small_histories(), context);
    Random random(2);
    const RankingBatch batch = some_batch(small_histories(), 32, 4, random);
    for (int i = 0; i < 3; ++i) model.train_step(batch, random, context.pool());
    const std::size_t before = allocation_count();
    for (int i = 0; i < 5; ++i) model.train_step(batch, random, context.pool());
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST(LinnRecommender, RejectsPairsInTheFactoredForm) {
  LinnRecommenderOptions options = small_options(Preset::kAuthors);
  options.clause_order = 2;
  Context context(1, 1);
  expect_input_error([&] { LinnRecommender(options, small_histories(), context); }, 0, 0, "order 2");
}

TEST(LinnRecommender, ReportsItsRegularizers) {
  Context context(1, 1);
  LinnRecommender model(small_options(Preset::kPaper), small_histories(), context);
  Random random(2);
  train(model, 2, random, context.pool());
  const Metrics metrics = model.epoch_metrics();
  ASSERT_EQ(metrics.size(), 2U);
  EXPECT_EQ(metrics[0].values.size(), kLaws);
  EXPECT_EQ(metrics[1].values.size(), 1U);
  for (const Metric& metric : metrics) {
    for (const double value : metric.values) EXPECT_GT(value, 0.0) << metric.name;
  }
  LinnRecommenderOptions options = small_options(Preset::kPaper);
  options.law_weight = 0.0F;
  LinnRecommender without(options, small_histories(), context);
  EXPECT_EQ(without.epoch_metrics().size(), 1U);
}

}  // namespace
}  // namespace linn
