// Whole trainings on a device against those on the CPU, run folders that go from one to the other, and what happens
// when a device fails.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/data/generate_equations.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/learn_equations.h"
#include "linn/recommend/learn_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "linn/train/training_device.h"
#include "support/random_interactions.h"
#include "support/temp_folder.h"
#ifdef LINN_EMULATED
#include "support/cuda/cuda_runtime.h"
#endif

namespace linn {
namespace {

// What a training ends with.
struct Learned {
  TrainingReport report;
  std::vector<float> answers;  // of the best model
};

struct Request {
  Preset preset = Preset::kAuthors;
  NamedValues settings;
  bool on_device = false;
  std::filesystem::path folder = {};  // empty: in memory
  bool resume = false;
};

Learned learn_some_equations(const Request& request) {
  EquationRecipe recipe;
  recipe.variables = 20;
  recipe.equations = 70;
  recipe.max_clauses = recipe.max_literals = 3;
  recipe.seed = 11;
  EquationData data = generate_equations(recipe);
  const EquationKind& kind = equation_registry().require("linn");
  const auto settings = kind.settings(request.preset, {70, 0, 0}, request.settings);
  const std::unique_ptr<TrainingDevice> device = open_device(request.on_device ? "cuda" : "cpu");
  Context context(3, 2);
  context.set_device(device.get());
  RunConfig config;
  config.task = "equations";
  config.model = "linn";
  config.options = settings->values();
  RunPlace place;
  place.folder = request.folder;
  place.resume = request.resume;
  LearnedEquations learned = learn_equations(kind, *settings, config, data, place, context);
  return {std::move(learned.report), learned.model->probabilities(data.pool, data.train.expressions, context.pool())};
}

Learned learn_some_likes(const Request& request) {
  const InteractionData data = random_interactions({.users = 12, .items = 24});
  const RecommenderKind& kind = recommender_registry().require("linn");
  const auto settings = kind.settings(request.preset, {168, 12, 24}, request.settings);
  const std::unique_ptr<TrainingDevice> device = open_device(request.on_device ? "cuda" : "cpu");
  Context context(3, 2);
  context.set_device(device.get());
  RunConfig config;
  config.task = "recommend";
  config.model = "linn";
  config.options = settings->values();
  RunPlace place;
  place.folder = request.folder;
  place.resume = request.resume;
  LearnedRecommender learned = learn_recommender(kind, *settings, config, data, place, context);
  const Histories histories(data);
  std::vector<Query> queries;
  std::vector<ItemId> items;
  for (UserId user = 0; user < 3; ++user) {
    queries.push_back({user, histories.events(user)});
    for (ItemId item = 0; item < 24; ++item) items.push_back(item);
  }
  queries.push_back({std::nullopt, {}});
  for (ItemId item = 0; item < 24; ++item) items.push_back(item);
  Learned result = {std::move(learned.report), std::vector<float>(items.size())};
  RankingModel& model = *learned.recommender.model;
  model.score(queries, items, 24, result.answers, context.pool());
  if (device != nullptr) {
    // On the device it answers the same.
    std::vector<float> answers(items.size());
    model.use_device(device.get());
    model.score(queries, items, 24, answers, context.pool());
    model.use_device(nullptr);
    for (std::size_t i = 0; i < items.size(); ++i) {
      EXPECT_NEAR(result.answers[i], answers[i], 1e-3 * (1.0 + std::abs(result.answers[i])));
    }
  }
  return result;
}

void expect_alike(const Learned& expected, const Learned& found, double share) {
  ASSERT_EQ(expected.report.records.size(), found.report.records.size());
  for (std::size_t i = 0; i < expected.report.records.size(); ++i) {
    const EpochRecord& a = expected.report.records[i];
    const EpochRecord& b = found.report.records[i];
    EXPECT_NEAR(a.loss, b.loss, share * std::abs(a.loss)) << "epoch " << i + 1;
    ASSERT_EQ(a.training.size(), b.training.size());
    for (std::size_t m = 0; m < a.training.size(); ++m) {
      EXPECT_EQ(a.training[m].name, b.training[m].name);
      for (std::size_t k = 0; k < a.training[m].values.size(); ++k) {
        const double value = a.training[m].values[k];
        if (std::isnan(value)) continue;
        EXPECT_NEAR(value, b.training[m].values[k], share * (1e-3 + std::abs(value))) << a.training[m].name;
      }
    }
  }
  ASSERT_EQ(expected.answers.size(), found.answers.size());
  double difference = 0.0;
  double size = 0.0;
  for (std::size_t i = 0; i < expected.answers.size(); ++i) {
    difference += std::abs(static_cast<double>(expected.answers[i]) - static_cast<double>(found.answers[i]));
    size += std::abs(static_cast<double>(expected.answers[i]));
  }
  EXPECT_LT(difference, share * size);
}

const NamedValues kSmall = {{"d", "8"}, {"epochs", "2"}, {"batch", "16"}, {"dropout", "0"}};

NamedValues small_and(const NamedValues& more) {
  NamedValues all = kSmall;
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

class EquationPresets : public testing::TestWithParam<Preset> {};

TEST_P(EquationPresets, LearnTheSameAsOnTheCpu) {
  Request request = {.preset = GetParam(), .settings = small_and({{"learning_rate", "0.01"}})};
  if (GetParam() == Preset::kBest) {
    request.settings = small_and({{"pretrain_steps", "4"}, {"pretrain_law_share", "0.1"}, {"ensemble", "2"}});
  }
  const Learned expected = learn_some_equations(request);
  request.on_device = true;
  expect_alike(expected, learn_some_equations(request), 0.01);
}
INSTANTIATE_TEST_SUITE_P(, EquationPresets, testing::Values(Preset::kAuthors, Preset::kPaper, Preset::kBest),
                         [](const auto& info) { return std::string(preset_name(info.param)); });

struct RecommendCase {
  const char* name;
  Preset preset;
  NamedValues settings;
};

class RecommendForms : public testing::TestWithParam<RecommendCase> {};

TEST_P(RecommendForms, LearnTheSameAsOnTheCpu) {
  Request request = {.preset = GetParam().preset, .settings = small_and(GetParam().settings)};
  const Learned expected = learn_some_likes(request);
  request.on_device = true;
  expect_alike(expected, learn_some_likes(request), 0.01);
}
INSTANTIATE_TEST_SUITE_P(
    , RecommendForms,
    testing::Values(RecommendCase{"Paper", Preset::kPaper, {{"laws", "1e-3"}}},
                    RecommendCase{"Authors", Preset::kAuthors, {{"laws", "1e-3"}}},
                    RecommendCase{"Fold", Preset::kBest, {{"history", "8"}, {"negatives", "0"}}},
                    RecommendCase{"FoldNegatives",
                                  Preset::kBest,
                                  {{"history", "8"}, {"negatives", "6"}, {"user_vectors", "true"}, {"ensemble", "2"}}},
                    RecommendCase{"BestClauses", Preset::kBest, {{"form", "dnf"}, {"user_vectors", "true"}}}),
    [](const auto& info) { return std::string(info.param.name); });

// With dropout, which draws other numbers, a training only has to learn.
TEST(DeviceTraining, LearnsWithDropout) {
  const Request request = {.settings = {{"d", "8"}, {"epochs", "6"}, {"batch", "16"}, {"learning_rate", "0.02"}},
                           .on_device = true};
  const Learned learned = learn_some_equations(request);
  EXPECT_LT(learned.report.records.back().loss, 0.9 * learned.report.records.front().loss);
}

class Resumes : public testing::TestWithParam<bool> {};

TEST_P(Resumes, OnTheOtherDevice) {
  const TempFolder folder;
  Request request = {
      .settings = small_and({{"learning_rate", "0.01"}}), .on_device = GetParam(), .folder = folder.path() / "run"};
  request.settings[1].second = "1";  // epochs
  learn_some_equations(request);
  request.settings[1].second = "3";
  request.resume = true;
  request.on_device = !GetParam();
  const Learned found = learn_some_equations(request);
  EXPECT_EQ(found.report.epochs, 3U);
  request.resume = false;
  request.folder.clear();
  request.on_device = false;
  const Learned expected = learn_some_equations(request);
  EXPECT_NEAR(expected.report.records.back().loss, found.report.records.back().loss,
              0.01 * expected.report.records.back().loss);
}
INSTANTIATE_TEST_SUITE_P(, Resumes, testing::Values(false, true),
                         [](const auto& info) { return info.param ? "FromDeviceToCpu" : "FromCpuToDevice"; });

TEST(DeviceTraining, IsRefusedByOtherModels) {
  const auto device = open_device("cuda");
  for (const EquationKind* kind : equation_registry().kinds()) {
    const bool known = kind->name() == "linn" || kind->name() == "linn-rl";
    if (known) EXPECT_NO_THROW(kind->check_device(device.get()));
    if (!known) EXPECT_THROW(kind->check_device(device.get()), InputError) << kind->name();
    EXPECT_NO_THROW(kind->check_device(nullptr));
  }
  EXPECT_THROW(recommender_registry().require("sasrec").check_device(device.get()), InputError);
}

#ifdef LINN_EMULATED
// Whenever a device fails, the run says so in one line and goes on from its last checkpoint.
TEST(DeviceTraining, ThatFailsCanBeResumed) {
  const TempFolder folder;
  Request request = {.settings = small_and({}), .on_device = true, .folder = folder.path() / "run"};
  request.settings[1].second = "1";
  learn_some_equations(request);
  request.settings[1].second = "2";
  request.resume = true;
  std::size_t failures = 0;
  for (std::size_t calls = 1;; calls = 2 * calls + 3) {
    emulated_cuda::fail_after(calls, calls % 3 == 0 ? cudaErrorMemoryAllocation : cudaErrorLaunchFailure);
    try {
      EXPECT_EQ(learn_some_equations(request).report.epochs, 2U);
      break;
    } catch (const Failure& error) {
      ++failures;
      const std::string message = error.what();
      EXPECT_EQ(message.find('\n'), std::string::npos);
      EXPECT_NE(message.find("CUDA"), std::string::npos) << message;
    }
  }
  emulated_cuda::fail_after(0, cudaSuccess);
  EXPECT_GT(failures, 3U);
}

TEST(Devices, ThatAreNotThereAreAFailure) {
  emulated_cuda::fail_after(0, cudaErrorInsufficientDriver);
  EXPECT_THROW(open_device("cuda"), Failure);
}
#endif

}  // namespace
}  // namespace linn
