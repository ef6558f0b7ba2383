#include "linn/train/snapshot_epochs.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/data/generate_equations.h"
#include "linn/equations/equation_registry.h"
#include "linn/equations/linn_equations.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

std::vector<std::size_t> up_to_ten(const SnapshotEpochs& epochs) {
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i <= 10; ++i) {
    if (epochs.contains(i)) result.push_back(i);
  }
  return result;
}

TEST(SnapshotEpochs, ParsesListsAndIntervals) {
  using List = std::vector<std::size_t>;
  EXPECT_EQ(up_to_ten(SnapshotEpochs()), List());
  EXPECT_EQ(up_to_ten(SnapshotEpochs("")), List());
  EXPECT_EQ(up_to_ten(SnapshotEpochs("0,5,3,200")), List({0, 3, 5}));
  EXPECT_EQ(up_to_ten(SnapshotEpochs("every:4")), List({0, 4, 8}));
  for (const char* text :
       {"1,", ",1", "x", "1;2", "every:", "every:0", "every", "-1", "1 ,2", "99999999999999999999"}) {
    EXPECT_THROW(SnapshotEpochs{text}, InputError) << text;
  }
}

EquationData small_set() {
  EquationRecipe recipe;
  recipe.variables = 15;
  recipe.equations = 60;
  recipe.max_clauses = recipe.max_literals = 2;
  return generate_equations(recipe);
}

void train(const std::filesystem::path& path, std::size_t epochs, bool resume) {
  EquationData data = small_set();
  EquationOptions options = equation_preset(Preset::kAuthors, 60, 8);
  options.epochs = epochs;
  Context context(3, 1);
  RunFolder folder = resume ? RunFolder::resume(path) : RunFolder::create(path, "{}\n", true);
  FolderStore store(folder);
  train_equations(NormalizedEquations(data, options.form), options, SnapshotEpochs("0,1,3"), context, store);
}

TEST(Snapshots, HaveTheModelsOfTheirEpochs) {
  const TempFolder folder;
  train(folder / "run", 2, false);
  const auto snapshot = [&](const char* run, int epoch) {
    return (folder / run) / "snapshots" / ("epoch-" + std::to_string(epoch) + ".safetensors");
  };
  EXPECT_FALSE(std::filesystem::exists(snapshot("run", 3)));
  train(folder / "run", 4, true);
  for (const int epoch : {0, 1, 3}) EXPECT_NO_THROW(load_equation_model(SafetensorsFile::read(snapshot("run", epoch))));
  EXPECT_FALSE(std::filesystem::exists(snapshot("run", 2)));

  // A training of one epoch has the same snapshot of that epoch.
  train(folder / "short", 1, false);
  const auto variables = [](const std::filesystem::path& path) {
    const auto model = load_equation_model(SafetensorsFile::read(path));
    const auto values = model->logic_model()->variables.values();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(variables(snapshot("run", 1)), variables(snapshot("short", 1)));
  EXPECT_NE(variables(snapshot("run", 0)), variables(snapshot("run", 1)));

  // The metrics have the mean length of the vectors.
  const auto line = nlohmann::json::parse(RunFolder::open(folder / "run").metrics()[2]);
  const auto last = load_equation_model(SafetensorsFile::read(snapshot("run", 3)));
  EXPECT_NEAR(line["variable_norm"].get<double>(), mean_norm(last->logic_model()->variables), 1e-9);

  // Replacing a run removes its snapshots.
  train(folder / "run", 1, false);
  EXPECT_FALSE(std::filesystem::exists(snapshot("run", 3)));
}

TEST(EmbeddingTable, MeanNorm) {
  EmbeddingTable table("t", 2, 3);
  EXPECT_EQ(mean_norm(table), 0.0);
  table.row(0)[0] = 3.0F;
  table.row(0)[2] = -4.0F;
  table.row(1)[1] = 1.0F;
  EXPECT_DOUBLE_EQ(mean_norm(table), 3.0);
  EXPECT_EQ(mean_norm(EmbeddingTable("none", 0, 3)), 0.0);
}

}  // namespace
}  // namespace linn
