#include "linn/equations/sequence_equations.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/generate_equations.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/sequence_equation_model.h"
#include "linn/logic/parse.h"
#include "linn/metrics/equation_metrics.h"
#include "support/run_metrics.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

constexpr SequenceKind kKinds[] = {SequenceKind::kBiRnn, SequenceKind::kBiLstm, SequenceKind::kCnn};

EquationData small_set() {
  EquationRecipe recipe;
  recipe.variables = 20;
  recipe.equations = 120;
  recipe.max_clauses = recipe.max_literals = 2;
  recipe.seed = 11;
  return generate_equations(recipe);
}

SequenceOptions quick_options(SequenceKind kind, std::size_t epochs) {
  SequenceOptions options = sequence_preset(kind, Preset::kPaper, 120);
  options.network.width = options.network.hidden = 12;
  options.network.widest = 3;
  options.epochs = epochs;
  options.batch = 32;
  options.dropout = 0.1F;
  options.init = 0.2F;
  options.optimizer.learning_rate = 0.02;
  return options;
}

TrainingReport train(const SequenceOptions& options, const std::filesystem::path& path, std::size_t threads = 2,
                     bool resume = false, std::function<bool(const Progress&)> listener = {}) {
  EquationData data = small_set();
  Context context(3, threads);
  if (listener) context.set_progress(std::move(listener));
  RunFolder folder = resume ? RunFolder::resume(path) : RunFolder::create(path, "{}\n", false);
  FolderStore store(folder);
  return train_sequence_equations(NormalizedEquations(data, options.network.form), options, {}, context, store);
}

std::unique_ptr<EquationModel> load(const std::filesystem::path& path) {
  return load_equation_model(SafetensorsFile::read(path));
}

TEST(TrainSequenceEquations, EveryKindLearnsItsTrainingData) {
  for (const SequenceKind kind : kKinds) {
    const TempFolder folder;
    const auto run = folder / "run";
    SequenceOptions options = quick_options(kind, 25);
    options.dropout = 0.0F;
    EquationData data = small_set();
    data.validation = {};  // so that the training data select the epoch
    Context context(3, 2);
    RunFolder out = RunFolder::create(run, "{}\n", false);
    FolderStore store(out);
    const NormalizedEquations normalized(data, options.network.form);
    EXPECT_EQ(train_sequence_equations(normalized, options, {}, context, store).epochs, 25U);
    EXPECT_EQ(out.metrics().size(), 25U);
    const auto model = load(run / "model.safetensors");
    const auto p = model->probabilities(data.pool, data.train.expressions, context.pool());
    EXPECT_GT(equation_metrics(p, data.train.labels).accuracy, 0.95) << sequence_kind_name(kind);
  }
}

TEST(TrainSequenceEquations, ResumesBitForBitOnAnyNumberOfThreads) {
  for (const SequenceKind kind : kKinds) {
    const TempFolder folder;
    train(quick_options(kind, 5), folder / "straight", 1);
    // Stopped in the middle of the third epoch of three batches each.
    const auto stop = [](const Progress& progress) { return progress.done < 8; };
    const TrainingReport first = train(quick_options(kind, 5), folder / "cut", 2, false, stop);
    EXPECT_TRUE(first.interrupted);
    EXPECT_EQ(first.epochs, 2U);
    EXPECT_EQ(train(quick_options(kind, 5), folder / "cut", 3, true).epochs, 5U);
    EXPECT_EQ(metrics_without_time(folder / "straight"), metrics_without_time(folder / "cut"));
    EXPECT_EQ(read_file(folder / "straight/model.safetensors"), read_file(folder / "cut/model.safetensors"));
  }
}

TEST(TrainSequenceEquations, StopsWhenPatienceRunsOutAndThrowsOnDivergence) {
  const TempFolder folder;
  SequenceOptions options = quick_options(SequenceKind::kBiRnn, 100);
  options.patience = 2;
  const TrainingReport report = train(options, folder / "patient");
  EXPECT_EQ(report.epochs, report.best_epoch + 2);

  options.optimizer.kind = OptimizerKind::kSgd;
  options.optimizer.clip_value = 0.0;
  options.optimizer.learning_rate = 1e30;
  EXPECT_THROW(train(options, folder / "diverged"), Failure);
  EXPECT_NO_THROW(load(folder / "diverged/model.safetensors"));
}

TEST(SequenceEquationModels, PredictTheSameAfterLoading) {
  for (const SequenceKind kind : kKinds) {
    EquationData data = small_set();
    SequenceModel made(quick_options(kind, 1).network, data.pool.variables().size());
    Random random(1);
    made.network.parameters().initialize_normal(random, 0.3F);
    made.tokens.initialize_normal(random, 1.0F);
    const SequenceEquationModel model(data.pool.variables(), std::move(made));
    SafetensorsWriter out;
    model.write(out);
    const auto loaded = load_equation_model(SafetensorsFile::parse(out.to_bytes(), "model"));
    ThreadPool one(1);
    ThreadPool three(3);
    const auto p = model.probabilities(data.pool, data.train.expressions, one);
    EXPECT_EQ(loaded->probabilities(data.pool, data.train.expressions, three), p);
    EXPECT_EQ(loaded->variables(one), model.variables(three));
    EXPECT_NE(p[0], p[1]);

    ExpressionPool other;
    const Expr unknown = parse_expression(other, "1 & \"never seen\"");
    EXPECT_THROW(model.probabilities(other, {&unknown, 1}, one), InputError);
  }
}

TEST(SequenceOptionTable, OptionsSurviveARoundTripThroughText) {
  for (const SequenceKind kind : kKinds) {
    const auto table = sequence_option_table(kind);
    const SequenceOptions options = sequence_preset(kind, Preset::kBest, 3000);
    SequenceOptions copy;
    for (const auto& option : table.options()) table.set(copy, option.name, option.get(options));
    for (const auto& option : table.options()) EXPECT_EQ(option.get(copy), option.get(options)) << option.name;
    EXPECT_EQ(table.find("widest") != nullptr, kind == SequenceKind::kCnn);
  }
}

TEST(SequencePresets, TrainAllLayers) {
  for (const SequenceKind kind : kKinds) {
    for (const auto preset : {Preset::kBest, Preset::kPaper, Preset::kAuthors}) {
      EXPECT_EQ(sequence_preset(kind, preset, 3000).optimizer.parameter_rate, 1.0);
    }
  }
}

}  // namespace
}  // namespace linn
