// What several processes train, and in which order of magnitude of shards: the bits depend on the shards alone.
#include <gtest/gtest.h>

#include <filesystem>
#include <ostream>

#include "linn/base/file.h"
#include "linn/data/generate_equations.h"
#include "linn/data/generate_interactions.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/learn_equations.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "support/temp_folder.h"
#include "support/thread_group.h"

namespace linn {
namespace {

struct Training {
  std::string name;
  std::string task;
  std::string model;
  Preset preset;
  NamedValues settings;
};

void PrintTo(const Training& training, std::ostream* out) { *out << training.name; }

const std::vector<Training> kTrainings = {
    {"EquationsBest", "equations", "linn", Preset::kBest, {{"pretrain_steps", "5"}, {"ensemble", "2"}}},
    {"EquationsPaper", "equations", "linn", Preset::kPaper, {{"dropout", "0.2"}}},
    {"EquationsAuthors", "equations", "linn", Preset::kAuthors, {{"clip_norm", "0.5"}}},
    {"Cnn", "equations", "cnn", Preset::kBest, {{"dropout", "0.2"}, {"hidden", "6"}}},
    {"Fold", "recommend", "linn", Preset::kBest, {{"event_dropout", "0.1"}, {"user_vectors", "true"}}},
    {"FoldWithNegatives",
     "recommend",
     "linn",
     Preset::kBest,
     {{"negatives", "7"}, {"ensemble", "2"}, {"law_share", "0.5"}}},
    {"Dnf", "recommend", "linn", Preset::kBest, {{"form", "dnf"}, {"learn_label_noise", "true"}}},
    {"RecommendAuthors", "recommend", "linn", Preset::kAuthors, {}},
    {"RecommendPaper", "recommend", "linn", Preset::kPaper, {}},
    {"Sasrec", "recommend", "sasrec", Preset::kBest, {{"train_on", "likes"}}},
    {"SasrecOnHistories", "recommend", "sasrec", Preset::kBest, {{"train_on", "histories"}}},
    {"Gru4rec", "recommend", "gru4rec", Preset::kBest, {{"train_on", "likes"}}},
    {"Bprmf", "recommend", "bprmf", Preset::kBest, {}},
};

InteractionData some_interactions() {
  InteractionRecipe recipe;
  recipe.users = 40;
  recipe.items = 30;
  recipe.ratings = 600;
  recipe.seed = 3;
  return generate_interactions(recipe).data;
}

EquationData some_equations() {
  EquationRecipe recipe;
  recipe.variables = 30;
  recipe.equations = 150;
  recipe.seed = 3;
  return generate_equations(recipe);
}

// Trains and returns the model with its metrics.
std::string learn(const Training& training, std::size_t shards, std::size_t epochs, const RunPlace& place,
                  ProcessGroup& processes, std::size_t threads = 1) {
  Context context(5, threads, nullptr, &processes);
  RunConfig config;
  config.task = training.task;
  config.model = training.model;
  config.seed = 5;
  NamedValues values = training.settings;
  values.insert(values.end(),
                {{"d", "8"}, {"batch", "30"}, {"epochs", std::to_string(epochs)}, {"shards", std::to_string(shards)}});
  if (training.task == "equations") {
    EquationData data = some_equations();
    const EquationKind& kind = equation_registry().require(training.model);
    const auto settings = kind.settings(training.preset, {data.train.size(), 0, 0}, values);
    config.options = settings->values();
    const LearnedEquations learned = learn_equations(kind, *settings, config, data, place, context);
    SafetensorsWriter out;
    learned.model->write(out);
    return out.to_bytes() + std::to_string(learned.test.log_loss);
  }
  const InteractionData data = some_interactions();
  const RecommenderKind& kind = recommender_registry().require(training.model);
  const auto settings = kind.settings(training.preset, {data.train.size(), 40, 30}, values);
  config.options = settings->values();
  const LearnedRecommender learned = learn_recommender(kind, *settings, config, data, place, context);
  SafetensorsWriter out;
  learned.recommender.model->add_values(out, {});
  std::string text = out.to_bytes();
  for (const Ranking& ranking : learned.test) text += std::to_string(ranking.rank) + " ";
  return text;
}

class SameBits : public testing::TestWithParam<Training> {};
INSTANTIATE_TEST_SUITE_P(Trainings, SameBits, testing::ValuesIn(kTrainings),
                         [](const auto& test) { return test.param.name; });

TEST_P(SameBits, ForAnyNumberOfProcesses) {
  LoneProcess alone;
  const std::string expected = learn(GetParam(), 8, 3, {}, alone);
  EXPECT_TRUE(expected == learn(GetParam(), 8, 3, {}, alone, 3)) << "with threads";
  EXPECT_FALSE(expected == learn(GetParam(), 4, 3, {}, alone)) << "shards have random numbers of their own";
  for (const std::size_t size : {2, 3, 4, 8}) {
    ThreadGroup group(size);
    const auto errors = group.run([&](ProcessGroup& processes) {
      EXPECT_TRUE(learn(GetParam(), 8, 3, {}, processes) == expected) << size << " processes";
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
  }
}

TEST_P(SameBits, ResumedWithAnotherNumberOfProcesses) {
  LoneProcess alone;
  const std::string expected = learn(GetParam(), 4, 4, {}, alone);
  const TempFolder folder;
  RunPlace place;
  place.folder = folder.path() / "run";
  place.resume = true;
  std::size_t epochs = 1;
  for (const std::size_t size : {3, 1, 2, 4}) {
    ThreadGroup group(size);
    const auto errors = group.run([&](ProcessGroup& processes) {
      const std::string model = learn(GetParam(), 4, epochs, place, processes);
      if (epochs == 4) EXPECT_TRUE(model == expected) << "rank " << processes.rank();
    });
    for (const std::string& error : errors) EXPECT_EQ(error, "");
    ++epochs;
  }
}

TEST(Processes, MoreOfThemThanShardsAreRefused) {
  ThreadGroup group(3);
  const TempFolder folder;
  RunPlace place;
  place.folder = folder.path() / "run";
  const auto errors = group.run([&](ProcessGroup& processes) { learn(kTrainings[2], 2, 1, place, processes); });
  for (const std::string& error : errors) {
    EXPECT_EQ(error, "each of the 3 processes needs at least one shard, but shards is 2; set shards to 4 or more");
  }
  EXPECT_FALSE(std::filesystem::exists(place.folder));
  for (const Training& fitted : {Training{"", "recommend", "ease", Preset::kBest, {}}}) {
    const InteractionData data = some_interactions();
    const auto refused = group.run([&](ProcessGroup& processes) {
      Context context(5, 1, nullptr, &processes);
      const RecommenderKind& kind = recommender_registry().require(fitted.model);
      const auto settings = kind.settings(fitted.preset, {data.train.size(), 40, 30}, {});
      learn_recommender(kind, *settings,
                        {.task = "recommend", .model = "ease", .data = {}, .seed = 0, .options = {}, .snapshots = {}},
                        data, {}, context);
    });
    for (const std::string& error : refused) EXPECT_NE(error.find("fitted at once"), std::string::npos) << error;
  }
}

TEST(Processes, DifferencesAreRefused) {
  ThreadGroup group(2);
  const TempFolder folder;
  RunPlace place;
  place.folder = folder.path() / "run";
  const auto settings = group.run([&](ProcessGroup& processes) {
    Training training = kTrainings[4];
    training.settings.emplace_back("learning_rate", processes.is_first() ? "0.001" : "0.002");
    learn(training, 2, 1, place, processes);
  });
  for (const std::string& error : settings) EXPECT_EQ(error, "process 1 has other settings than process 0");
  const auto data = group.run([&](ProcessGroup& processes) {
    Context context(5, 1, nullptr, &processes);
    const RecommenderKind& kind = recommender_registry().require("bprmf");
    InteractionData own = some_interactions();
    if (!processes.is_first()) own.train[3].liked = !own.train[3].liked;
    const auto chosen = kind.settings(Preset::kBest, {own.train.size(), 40, 30}, NamedValues{{"shards", "2"}});
    learn_recommender(
        kind, *chosen,
        {.task = "recommend", .model = "bprmf", .data = {}, .seed = 0, .options = chosen->values(), .snapshots = {}},
        own, place, context);
  });
  for (const std::string& error : data) EXPECT_EQ(error, "process 1 has other data than process 0");
  EXPECT_FALSE(std::filesystem::exists(place.folder));
}

}  // namespace
}  // namespace linn
