#include "linn/equations/linn_equations.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/generate_equations.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/exact_model.h"
#include "linn/equations/gibbs.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/equations/majority_model.h"
#include "linn/logic/parse.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/model/safetensors.h"
#include "support/run_metrics.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

EquationData small_set() {
  EquationRecipe recipe;
  recipe.variables = 40;
  recipe.equations = 300;
  recipe.max_clauses = recipe.max_literals = 3;
  recipe.seed = 11;
  return generate_equations(recipe);
}

EquationOptions quick_options(std::size_t epochs) {
  EquationOptions options = equation_preset(Preset::kAuthors, 300, 16);
  options.epochs = epochs;
  options.batch = 64;
  options.dropout = 0.1F;
  options.optimizer.learning_rate = 0.01;
  return options;
}

TrainingReport train(const EquationOptions& options, const std::filesystem::path& path, bool resume = false,
                     std::function<bool(const Progress&)> listener = {}) {
  EquationData data = small_set();
  Context context(3, 2);
  if (listener) context.set_progress(std::move(listener));
  RunFolder folder = resume ? RunFolder::resume(path) : RunFolder::create(path, "{}\n", false);
  FolderStore store(folder);
  return train_equations(NormalizedEquations(data, options.form), options, {}, context, store);
}

std::unique_ptr<EquationModel> load(const std::filesystem::path& path) {
  return load_equation_model(SafetensorsFile::read(path));
}

double validation_accuracy(const std::string& line) {
  return nlohmann::json::parse(line)["validation"]["accuracy"].get<double>();
}

TEST(TrainEquations, LearnsAndKeepsTheBestEpoch) {
  const TempFolder folder;
  const auto run = folder.path() / "run";
  const TrainingReport report = train(quick_options(40), run);
  EXPECT_EQ(report.epochs, 40U);
  EXPECT_FALSE(report.interrupted);
  EXPECT_GT(report.seconds_per_epoch, 0.0);
  const std::vector<std::string> lines = RunFolder::open(run).metrics();
  ASSERT_EQ(lines.size(), 40U);

  EquationData data = small_set();
  ThreadPool pool(1);
  const auto model = load(run / "model.safetensors");
  const auto on = [&](const EquationList& equations) {
    return equation_metrics(model->probabilities(data.pool, equations.expressions, pool), equations.labels).accuracy;
  };
  EXPECT_GT(on(data.train), 0.9);
  // The model is that of the best epoch, and no other epoch is better.
  const double best = on(data.validation);
  EXPECT_NEAR(validation_accuracy(lines.at(report.best_epoch - 1)), best, 1e-9);
  for (const std::string& line : lines) EXPECT_LE(validation_accuracy(line), best + 1e-9);
}

TEST(TrainEquations, ResumesBitForBit) {
  const TempFolder folder;
  train(quick_options(8), folder.path() / "straight");

  // Stopped in the middle of the fourth epoch, then resumed.
  const auto cut = folder.path() / "cut";
  const TrainingReport first =
      train(quick_options(8), cut, false, [](const Progress& progress) { return progress.done < 14; });
  EXPECT_TRUE(first.interrupted);
  EXPECT_EQ(first.epochs, 3U);
  const TrainingReport second = train(quick_options(8), cut, true);
  EXPECT_EQ(second.epochs, 8U);

  EXPECT_EQ(metrics_without_time(folder.path() / "straight"), metrics_without_time(cut));
  EXPECT_EQ(read_file(folder.path() / "straight" / "model.safetensors"), read_file(cut / "model.safetensors"));
  // Resuming a finished run trains nothing.
  EXPECT_EQ(train(quick_options(8), cut, true).epochs, 8U);
}

TEST(TrainEquations, StopsWhenPatienceRunsOut) {
  const TempFolder folder;
  EquationOptions options = quick_options(200);
  options.patience = 3;
  const TrainingReport report = train(options, folder.path() / "run");
  EXPECT_LT(report.epochs, 200U);
  EXPECT_EQ(report.epochs, report.best_epoch + 3);
}

TEST(TrainEquations, ThrowsOnDivergenceAndKeepsTheModel) {
  const TempFolder folder;
  EquationOptions options = quick_options(50);
  options.optimizer.kind = OptimizerKind::kSgd;
  options.optimizer.clip_value = 0.0;
  options.optimizer.learning_rate = 1e20;
  EXPECT_THROW(train(options, folder.path() / "run"), Failure);
  EXPECT_NO_THROW(load(folder.path() / "run" / "model.safetensors"));
}

EquationOptions ensemble_options(std::size_t epochs) {
  EquationOptions options = equation_preset(Preset::kBest, 300, 16);
  options.epochs = epochs;
  options.ensemble = 3;
  options.pretrain.steps = 20;
  options.learn_label_noise = true;
  return options;
}

TEST(TrainEnsemble, ResumesBitForBitOnAnyNumberOfThreads) {
  const TempFolder folder;
  train(ensemble_options(6), folder.path() / "straight");
  const auto cut = folder.path() / "cut";
  EXPECT_TRUE(train(ensemble_options(6), cut, false, [](const Progress& progress) {
                return progress.what != "training" || progress.done < 9;
              }).interrupted);
  EquationData data = small_set();
  Context context(3, 1);
  RunFolder run = RunFolder::resume(cut);
  FolderStore store(run);
  const EquationOptions options = ensemble_options(6);
  EXPECT_EQ(train_equations(NormalizedEquations(data, options.form), options, {}, context, store).epochs, 6U);
  EXPECT_EQ(metrics_without_time(folder.path() / "straight"), metrics_without_time(cut));
  EXPECT_EQ(read_file(folder.path() / "straight" / "model.safetensors"), read_file(cut / "model.safetensors"));
}

TEST(TrainEnsemble, PredictsTheMeanOfNetworksWithTheSameModules) {
  const TempFolder folder;
  const auto path = folder.path() / "run";
  train(ensemble_options(3), path);
  std::vector<LogicModel> members = load_models(SafetensorsFile::read(path / "model.safetensors")).members;
  ASSERT_EQ(members.size(), 3U);
  EquationData data = small_set();
  ThreadPool pool(2);
  const std::vector<Expr>& expressions = data.test.expressions;
  const auto together = load(path / "model.safetensors")->probabilities(data.pool, expressions, pool);
  std::vector<std::vector<float>> alone;
  for (LogicModel& member : members) {
    const LogicModel* const one = &member;
    alone.push_back(
        mean_probabilities({&one, 1}, network_forms(Form::kDnf, data.pool, expressions, data.pool.variables()), pool));
    // The modules are pretrained and frozen.
    EXPECT_TRUE(std::ranges::equal(std::as_const(member).network.parameters().values(),
                                   std::as_const(members[0]).network.parameters().values()));
  }
  EXPECT_NE(alone[0], alone[1]);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    EXPECT_NEAR(together[i], (alone[0][i] + alone[1][i] + alone[2][i]) / 3.0F, 1e-6F);
  }
}

TEST(EquationModels, AnswersThatAreNotNumbersAreAFailure) {
  EquationData data = small_set();
  LogicEnsemble ensemble;
  ensemble.names = data.pool.variables();
  LogicModel& model = ensemble.members.emplace_back(NetworkOptions::authors(8), ensemble.names.size());
  Random random(2);
  model.network.initialize(random, 0.3F);
  model.variables.initialize_normal(random, 0.3F);
  for (float& weight : model.network.parameters().values()) weight *= 1e30F;  // finite, but their products are not
  const LinnEquationModel loaded(std::move(ensemble), Form::kDnf);
  ThreadPool pool(1);
  EXPECT_THROW(loaded.probabilities(data.pool, data.test.expressions, pool), Failure);
}

TEST(TrainEnsemble, NetworksTakeTurnsAmongTheModuleSets) {
  const TempFolder folder;
  const auto path = folder.path() / "run";
  EquationOptions options = ensemble_options(1);
  options.module_sets = 2;
  train(options, path);
  const std::vector<LogicModel> members = load_models(SafetensorsFile::read(path / "model.safetensors")).members;
  const auto modules = [&](std::size_t i) { return members[i].network.parameters().values(); };
  EXPECT_TRUE(std::ranges::equal(modules(0), modules(2)));
  EXPECT_FALSE(std::ranges::equal(modules(0), modules(1)));
}

TEST(EquationPresets, FollowThePaperAndTheAuthors) {
  const EquationOptions paper = equation_preset(Preset::kPaper, 3000);
  EXPECT_EQ(paper.network.gate_hidden(Gate::kAnd), 64U);
  EXPECT_FALSE(paper.network.gate.output_bias);
  EXPECT_FLOAT_EQ(paper.law_weight, 0.01F);
  EXPECT_DOUBLE_EQ(paper.optimizer.weight_decay, 2e-5);  // the gradient of 1e-5 times the squared norm
  EXPECT_FALSE(paper.count_occurrences);
  EXPECT_TRUE(paper.squared_length);

  const EquationOptions authors = equation_preset(Preset::kAuthors, 30000, 32);
  EXPECT_EQ(authors.network.gate_hidden(Gate::kAnd), 64U);
  EXPECT_TRUE(authors.network.gate.output_bias);
  EXPECT_FLOAT_EQ(authors.law_weight, 0.1F);
  EXPECT_DOUBLE_EQ(authors.optimizer.weight_decay, 1e-3);
  EXPECT_FALSE(authors.optimizer.decay_biases);
  EXPECT_TRUE(authors.count_occurrences && authors.negation_hides_variable);
}

TEST(EquationOptionTable, OptionsSurviveARoundTripThroughText) {
  const auto table = equation_option_table();
  for (const Preset preset : {Preset::kPaper, Preset::kAuthors, Preset::kBest}) {
    const EquationOptions options = equation_preset(preset, 3000);
    EquationOptions copy;
    for (const auto& option : table.options()) table.set(copy, option.name, option.get(options));
    for (const auto& option : table.options()) EXPECT_EQ(option.get(copy), option.get(options)) << option.name;
  }
  EquationOptions options;
  EXPECT_THROW(table.set(options, "dropuot", "0.1"), InputError);
  EXPECT_THROW(table.set(options, "dropout", "1.5"), InputError);
  EXPECT_THROW(table.set(options, "dropout", "nan"), InputError);
  EXPECT_THROW(table.set(options, "batch", "0"), InputError);
  EXPECT_THROW(table.set(options, "form", "xnf"), InputError);
}

TEST(EquationModels, PredictTheSameAfterLoading) {
  EquationData data = small_set();
  ThreadPool pool(2);
  GibbsOptions gibbs;
  gibbs.noise = 0.0;
  gibbs.chains = 4;
  gibbs.keep_assignments = true;
  const GibbsResult result = gibbs_reason(data.pool, data.train, data.test.expressions, gibbs);

  const ExactModel exact(data.pool.variables(), result.assignments, result.noise);
  const MajorityModel majority(data.pool.variables(), 0.4F);
  for (const EquationModel* model :
       {static_cast<const EquationModel*>(&exact), static_cast<const EquationModel*>(&majority)}) {
    SafetensorsWriter out;
    model->write(out);
    const auto loaded = load_equation_model(SafetensorsFile::parse(out.to_bytes(), "model"));
    EXPECT_EQ(loaded->probabilities(data.pool, data.test.expressions, pool),
              model->probabilities(data.pool, data.test.expressions, pool));
    EXPECT_EQ(loaded->variables(pool), model->variables(pool));
  }
  // The kept assignments give the same probabilities.
  const auto p = exact.probabilities(data.pool, data.test.expressions, pool);
  for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], result.expressions[i], 1e-6);

  ExpressionPool other;
  const Expr unknown = parse_expression(other, "1 & \"never seen\"");
  try {
    exact.probabilities(other, {&unknown, 1}, pool);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.message(), "the model does not know the variable \"never seen\"");
  }
}

}  // namespace
}  // namespace linn
