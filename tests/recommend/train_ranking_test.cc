#include "linn/recommend/protocol/train_ranking.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/evaluate_ranking.h"
#include "support/expect_error.h"
#include "support/random_interactions.h"
#include "support/run_metrics.h"
#include "support/state_file.h"
#include "support/temp_folder.h"
#include "support/toy_ranking_model.h"

namespace linn {
namespace {

ToyOptions quick_options(std::size_t epochs) {
  ToyOptions options;
  options.epochs = epochs;
  options.patience = 1000;
  options.batch = 32;
  options.loss = RankingLoss::kSoftmax;
  options.negatives = 4;
  options.optimizer.learning_rate = 0.02;
  return options;
}

// Learns from whole histories, one like after the other, and remembers what it was given.
class ToyHistoryModel : public ToyRankingModel {
 public:
  using ToyRankingModel::ToyRankingModel;

  std::optional<HistoryWindow> training_window() const override { return HistoryWindow{5, true}; }
  double train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) override {
    RankingBatch likes;
    likes.group = 1 + items();
    for (const Stretch& stretch : batch.stretches) {
      for (std::size_t i = 1; i < stretch.events.size(); ++i) {
        if (!stretch.events[i].liked) continue;
        likes.queries.push_back({stretch.user, stretch.events.first(i)});
        likes.items.push_back(stretch.events[i].item);
        for (ItemId item = 0; item < items(); ++item) likes.items.push_back(item);
      }
    }
    negatives.insert(batch.negatives.size());
    EXPECT_EQ(batch.negative_log_counts.size(), batch.negatives.size());
    stretches += batch.stretches.size();
    return train_step(likes, random, threads);
  }

  std::set<std::size_t> negatives;
  std::size_t stretches = 0;
};

// Has an average of its weights, and is stopped while it is validated with that.
class StoppedToyModel : public ToyRankingModel {
 public:
  StoppedToyModel(std::size_t items, const EpochRankingOptions& options, std::atomic<bool>& stop)
      : ToyRankingModel(items, options), stop_(stop) {}

  void swap_average(ThreadPool& threads) override {
    threads.run(1, [&](std::size_t, std::size_t) { is_average_ = !is_average_; });
  }
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    stop_ = true;
    ToyRankingModel::score(queries, items, each, scores, threads);
  }
  bool is_average() const { return is_average_; }

 private:
  std::atomic<bool>& stop_;
  bool is_average_ = false;
};

struct Trained {
  TrainingReport report;
  std::size_t starts = 0;
  std::size_t groups = 0;
  std::vector<Ranking> rankings;  // on validation data, by the model at the end of training
};

Trained train(ToyRankingModel& model, const InteractionData& data, const ToyOptions& options,
              const std::filesystem::path& path, bool resume = false,
              std::function<bool(const Progress&)> listener = {}) {
  const Histories histories(data);
  Context context(3, 2);
  if (listener) context.set_progress(std::move(listener));
  RunFolder folder = resume ? RunFolder::resume(path) : RunFolder::create(path, "{}\n", false);
  Trained trained;
  const ToyKind kind;
  RecommenderDescription description{&kind, kind.preset(Preset::kBest, {}, 0), catalogue_of(data)};
  static_cast<SettingsOf<ToyOptions>&>(*description.settings).options = options;
  FolderStore store(folder);
  trained.report = train_ranking(model, description, histories, context, store);
  trained.starts = model.starts;
  trained.groups = model.groups;
  trained.rankings = rank_held_out(model, histories, Candidates(histories, Split::kValidation, {100, 0}),
                                   histories.users(), context.pool());
  return trained;
}

Trained train(const InteractionData& data, const ToyOptions& options, const std::filesystem::path& path,
              bool resume = false, std::function<bool(const Progress&)> listener = {}) {
  ToyRankingModel model(data.items.size(), options);
  return train(model, data, options, path, resume, std::move(listener));
}

double ndcg_of(const std::string& line) { return nlohmann::json::parse(line)["validation"]["ndcg@10"].get<double>(); }

TEST(TrainRanking, LearnsAndKeepsTheBestEpoch) {
  const TempFolder folder;
  const InteractionData data = random_interactions({});
  const Trained trained = train(data, quick_options(30), folder / "run");
  EXPECT_EQ(trained.report.epochs, 30U);
  EXPECT_EQ(trained.starts, 1U);
  EXPECT_EQ(trained.groups, 30 * training_examples(Histories(data)).size());  // every like with a history, every epoch

  const auto lines = RunFolder::open(folder / "run").metrics();
  ASSERT_EQ(lines.size(), 30U);
  double best = 0.0;
  for (const std::string& line : lines) best = std::max(best, ndcg_of(line));
  EXPECT_EQ(ndcg_of(lines[trained.report.best_epoch - 1]), best);
  EXPECT_GT(best, ndcg_of(lines[0]));
  EXPECT_GT(best, 0.6);  // random scores would reach 0.15
  EXPECT_EQ(nlohmann::json::parse(lines[0])["size"].get<double>(), 240.0);

  // The file has the model of the best epoch: its nDCG is that of the epoch's line.
  ToyRankingModel kept(data.items.size(), quick_options(1));
  load_state(kept, folder / "run" / "model.safetensors");
  const Histories histories(data);
  ThreadPool pool(1);
  const std::vector<std::size_t> ks = {10};
  const auto rankings =
      rank_held_out(kept, histories, Candidates(histories, Split::kValidation, {100, 0}), histories.users(), pool);
  EXPECT_DOUBLE_EQ(ranking_metrics(rankings, ks).at_k(10).ndcg.mean, best);
}

TEST(TrainRanking, ResumesBitForBit) {
  const TempFolder folder;
  const InteractionData data = random_interactions({});
  const Trained straight = train(data, quick_options(6), folder / "straight");

  // Stopped in the middle of the third epoch, then resumed by a new model.
  const auto cut = folder / "cut";
  const std::size_t batches = (training_examples(Histories(data)).size() + 31) / 32;
  const Trained first = train(data, quick_options(6), cut, false,
                              [&](const Progress& progress) { return progress.done < 2 * batches + 2; });
  EXPECT_TRUE(first.report.interrupted);
  EXPECT_EQ(first.report.epochs, 2U);
  const Trained second = train(data, quick_options(6), cut, true);
  EXPECT_EQ(second.report.epochs, 6U);
  EXPECT_EQ(second.starts, 0U);

  EXPECT_EQ(metrics_without_time(folder / "straight"), metrics_without_time(cut));
  EXPECT_EQ(read_file(folder / "straight" / "model.safetensors"), read_file(cut / "model.safetensors"));
  EXPECT_EQ(second.rankings, straight.rankings);
  // Resuming a finished run trains nothing.
  const Trained third = train(data, quick_options(6), cut, true);
  EXPECT_EQ(third.report.epochs, 6U);
  EXPECT_EQ(third.groups, 0U);
}

TEST(TrainRanking, LearnsFromWholeHistories) {
  const TempFolder folder;
  const InteractionData data = random_interactions({});
  const std::size_t targets = Histories(data).examples(Split::kTrain).size();
  ToyOptions options = quick_options(6);
  options.batch = 8;
  for (const std::size_t negatives : {0U, 17U}) {
    options.negatives = negatives;
    const auto at = folder / std::to_string(negatives);
    ToyHistoryModel model(data.items.size(), options);
    const Trained trained = train(model, data, options, at / "straight", false, [&](const Progress& progress) {
      EXPECT_GT(progress.value, 1.0);
      EXPECT_LT(progress.value, 10.0);  // per target, not per stretch
      return true;
    });
    EXPECT_EQ(trained.groups, 6 * targets);
    EXPECT_GT(model.stretches, 6 * data.users.size());
    EXPECT_EQ(model.negatives, std::set<std::size_t>{negatives});
    const auto lines = RunFolder::open(at / "straight").metrics();
    EXPECT_GT(ndcg_of(lines.back()), ndcg_of(lines[0]));
    const auto last = nlohmann::json::parse(lines.back());
    EXPECT_NEAR(last["loss_per_target"].get<double>() * static_cast<double>(targets), last["loss"].get<double>(), 1e-6);

    ToyOptions shorter = options;
    shorter.epochs = 3;
    ToyHistoryModel first(data.items.size(), options);
    ToyHistoryModel second(data.items.size(), options);
    train(first, data, shorter, at / "cut");
    train(second, data, options, at / "cut", true);
    EXPECT_EQ(metrics_without_time(at / "straight"), metrics_without_time(at / "cut"));
  }
}

TEST(RecommenderKind, RefusesTheWholeCatalogueForSingleLikes) {
  const ToyKind kind;
  EXPECT_THROW(kind.settings(Preset::kBest, {}, NamedValues{{"negatives", "0"}}), InputError);
  EXPECT_NO_THROW(kind.settings(Preset::kBest, {}, NamedValues{{"negatives", "1"}}));
}

// Replaces the items of a share of the likes, held-out ones included, by items that the user does not like.
InteractionData with_label_noise(double share) {
  InteractionData data = random_interactions({.users = 300});
  Random random(5);
  for (std::vector<Interaction>* rows : {&data.train, &data.validation}) {
    for (Interaction& row : *rows) {
      if (row.liked && random.chance(share)) row.item = static_cast<ItemId>((row.item + 1 + random.below(3)) % 40);
    }
  }
  return data;
}

TEST(TrainRanking, EstimatesLabelNoise) {
  const TempFolder folder;
  ToyOptions options = quick_options(25);
  options.label_noise = 0.05;
  options.learn_label_noise = true;
  const auto estimate = [&](double share, RankingLoss loss, const std::string& name) {
    options.loss = loss;
    train(with_label_noise(share), options, folder / name);
    return nlohmann::json::parse(RunFolder::open(folder / name).metrics().back())["label_noise"].get<double>();
  };
  // A model as simple as this one underestimates the noise.
  for (const RankingLoss loss : {RankingLoss::kSoftmax, RankingLoss::kBpr}) {
    const std::string name = std::to_string(static_cast<int>(loss));
    EXPECT_LT(estimate(0.0, loss, "clean" + name), 0.05);
    const double noise = estimate(0.25, loss, "noisy" + name);
    EXPECT_GT(noise, 0.08);
    EXPECT_LT(noise, 0.35);
  }
}

TEST(TrainRanking, ResumesWithTheEstimatedLabelNoise) {
  const TempFolder folder;
  const InteractionData data = with_label_noise(0.25);
  ToyOptions options = quick_options(6);
  options.label_noise = 0.05;
  options.learn_label_noise = true;
  train(data, options, folder / "straight");
  ToyOptions shorter = options;
  shorter.epochs = 3;
  train(data, shorter, folder / "cut");
  train(data, options, folder / "cut", true);
  EXPECT_EQ(metrics_without_time(folder / "straight"), metrics_without_time(folder / "cut"));
}

TEST(TrainRanking, StopsWhenPatienceRunsOut) {
  const TempFolder folder;
  ToyOptions options = quick_options(500);
  options.patience = 3;
  const Trained trained = train(random_interactions({}), options, folder / "run");
  EXPECT_LT(trained.report.epochs, 500U);
  EXPECT_EQ(trained.report.epochs, trained.report.best_epoch + 3);
}

TEST(TrainRanking, KeepsTheLastEpochWithoutValidationData) {
  const TempFolder folder;
  InteractionData data = random_interactions({});
  data.validation.clear();
  ToyOptions options = quick_options(5);
  options.patience = 1;
  EXPECT_EQ(train(data, options, folder / "run").report.best_epoch, 5U);
}

TEST(TrainRanking, ThrowsOnDivergenceAndKeepsTheModel) {
  const TempFolder folder;
  ToyOptions options = quick_options(50);
  options.optimizer.learning_rate = 1e30;
  EXPECT_THROW(train(random_interactions({}), options, folder / "run"), Failure);
  EXPECT_TRUE(std::filesystem::exists(folder / "run" / "model.safetensors"));
}

TEST(TrainingExamples, ExcludeUsersWhoLikeEverything) {
  InteractionData data = random_interactions({});
  const std::size_t before = training_examples(Histories(data)).size();
  data.users.intern("all");
  for (ItemId item = 0; item < data.items.size(); ++item) data.train.push_back({30, item, true, 0});
  EXPECT_EQ(training_examples(Histories(data)).size(), before);
  EXPECT_EQ(Histories(data).examples(Split::kTrain).size(), before + 39);
}

TEST(LearnRecommender, RejectsDataWithoutExamplesBeforeWriting) {
  const TempFolder folder;
  InteractionData data = random_interactions({});
  for (Interaction& row : data.train) row.liked = false;
  const ToyKind kind;
  const auto settings = kind.preset(Preset::kBest, {}, 0);
  RunPlace place;
  place.folder = folder / "run";
  Context context(3, 1);
  EXPECT_THROW(
      learn_recommender(kind, *settings, {"recommend", "toy", "", 3, settings->values(), ""}, data, place, context),
      InputError);
  EXPECT_FALSE(std::filesystem::exists(place.folder));
}

TEST(TrainRanking, SwapsTheAverageBackWhenItIsStoppedInValidation) {
  const InteractionData data = random_interactions({.users = 20, .items = 30, .seed = 5});
  const Histories histories(data);
  std::atomic<bool> stop = false;
  Context context(3, 2, &stop);
  const ToyKind kind;
  RecommenderDescription description{&kind, kind.preset(Preset::kBest, {}, 0), catalogue_of(data)};
  static_cast<SettingsOf<ToyOptions>&>(*description.settings).options = quick_options(2);
  MemoryStore store;
  StoppedToyModel model(histories.items(), quick_options(2), stop);
  EXPECT_THROW(train_ranking(model, description, histories, context, store), Interrupted);
  EXPECT_TRUE(stop);
  EXPECT_FALSE(model.is_average());
}

TEST(TrainRanking, RefusesTheCheckpointOfOtherItems) {
  const InteractionRecipe recipe = {.users = 20, .items = 30, .seed = 5};
  const InteractionData data = random_interactions(recipe);
  const TempFolder folder;
  ToyRankingModel model(data.items.size(), quick_options(2));
  train(model, data, quick_options(2), folder / "run");
  InteractionData reversed = data;
  reversed.items = {};
  for (std::size_t i = data.items.size(); i-- > 0;) reversed.items.intern(data.items.name(static_cast<VariableId>(i)));
  ToyRankingModel other(data.items.size(), quick_options(3));
  expect_input_error([&] { train(other, reversed, quick_options(3), folder / "run", true); }, 0, 0,
                     "belongs to other users or items");
}

}  // namespace
}  // namespace linn
