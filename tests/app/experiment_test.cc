#include "app/reproduce/experiment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "app/report/cells.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn::app {
namespace {

TEST(Trainings, ShareAJobAndTakeSeedsInTurn) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "equations-1k");
  ReproduceSetup setup;
  setup.data = folder.path();
  setup.folder = folder / "out";
  setup.seeds = 2;
  ExperimentJobs jobs(setup);
  const Training linn = {"equations", "equations-1k"};
  Training other = linn;
  other.settings = {"laws=0.1"};
  const Training elsewhere = {"equations", "equations-10k"};  // there is no such data
  for (const Training& training : {linn, other, linn, elsewhere}) jobs.add(training);
  std::vector<std::string> names;
  for (const Job& job : jobs.in_order()) names.push_back(job.name);
  EXPECT_EQ(names,
            (std::vector<std::string>{"equations-1k-linn-paper-seed1", "equations-1k-linn-paper-laws=0.1-seed1",
                                      "equations-1k-linn-paper-seed2", "equations-1k-linn-paper-laws=0.1-seed2"}));
}

TEST(Trainings, OfEquationsAreSolvedAndAudited) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "equations-1k");
  write_file(folder / "equations-1k" / "variable.csv.gz", "");
  ReproduceSetup setup;
  setup.data = folder.path();
  setup.folder = folder / "out";
  setup.seeds = 1;
  ExperimentJobs jobs(setup);
  for (const char* model : {"linn", "exact", "cnn"}) jobs.add({"equations", "equations-1k", model});
  std::vector<std::vector<std::string>> commands;
  for (const Job& job : jobs.in_order()) {
    commands.emplace_back();
    for (const auto& command : job.commands) commands.back().push_back(command.front());
  }
  EXPECT_EQ(commands,
            (std::vector<std::vector<std::string>>{{"train", "solve", "audit"}, {"train", "solve"}, {"train"}}));
}

TEST(Trainings, OfModelsThatAreFittedAtOnceHaveNoPreset) {
  const TempFolder folder;
  std::filesystem::create_directory(folder / "ml100k-authors");
  ReproduceSetup setup;
  setup.data = folder.path();
  setup.folder = folder / "out";
  setup.seeds = 1;
  ExperimentJobs jobs(setup);
  for (const Experiment& experiment : further_experiments()) experiment.plan(setup, jobs);
  std::map<std::string, bool> presets;  // of each model
  for (const Job& job : jobs.in_order()) {
    for (const auto& command : job.commands) {
      const auto model = std::ranges::find(command, "--model");
      if (model == command.end()) continue;
      presets[model[1]] = std::ranges::find(command, "--preset") != command.end();
    }
  }
  for (const char* model : {"popularity", "itemknn", "ease", "exact"}) {
    ASSERT_TRUE(presets.contains(model)) << model;
    EXPECT_FALSE(presets[model]) << model;
  }
  EXPECT_TRUE(presets["linn"]);
  EXPECT_TRUE(presets["bprmf"]);
}

TEST(Results, AreReadByTheirPlace) {
  const TempFolder folder;
  ReproduceSetup setup;
  setup.data = folder.path();
  setup.folder = folder / "out";
  setup.seeds = 3;
  const Training training = {"recommend", "ml"};
  JobResults results;
  results.add(training.name(1), {{"train"}, "p", {{"ndcg@10", 0.25}, {"validation", {{"mrr", 1.0}}}}});
  results.add(training.name(1), {{"evaluate"}, "q", {{"count", 2}}});
  results.add(training.name(3), {{"train"}, "p", {{"ndcg@10", 0.75}}});
  results.add(training.name(3), {{"evaluate"}, "p", {{"count", 2}}});
  EXPECT_EQ(results.programs(), (std::set<std::string>{"p", "q"}));
  for (const int seed : {1, 3}) {
    const auto run = run_folder(setup, training, static_cast<std::uint64_t>(seed));
    std::filesystem::create_directories(run);
    write_file(run / "users.tsv", "user\titem\tndcg@10\tmrr\nu\ti\t0.5\t1\nw\tk\t0.25\t0.125\n");
    write_file(run / "metrics.jsonl", seed == 1 ? "{\"a\":{\"b\":1}}\n{\"a\":{\"b\":2}}\n" : "{\"a\":{\"b\":3}}\n");
  }
  const ExperimentResults figures(setup, results);
  EXPECT_EQ(figures.figures(training, "/ndcg@10"), (std::vector<double>{0.25, 0.75}));
  EXPECT_EQ(figures.figures(training, "/validation/mrr"), (std::vector<double>{1.0}));
  EXPECT_EQ(figures.figures(training, "/count", Printed::kRank), (std::vector<double>{2.0, 2.0}));
  EXPECT_EQ(figures.user_figures(training, "mrr"), (std::vector<std::vector<double>>{{1.0, 0.125}, {1.0, 0.125}}));
  EXPECT_EQ(figures.epoch_figures(training, "/a/b"), (std::vector<double>{2.0}));
}

TEST(Marks, NeedMoreThanChance) {
  using Runs = std::map<std::uint64_t, double>;
  const Runs high = {{1, 0.9}, {2, 0.91}, {3, 0.92}};
  const Runs low = {{1, 0.5}, {2, 0.51}, {3, 0.515}};
  EXPECT_TRUE(better_over_seeds(high, low, Better::kHigher));
  EXPECT_FALSE(better_over_seeds(high, low, Better::kLower));
  EXPECT_FALSE(better_over_seeds({{1, 0.9}, {2, 0.5}, {3, 0.92}}, {{1, 0.5}, {2, 0.91}, {3, 0.515}}, Better::kHigher));
  EXPECT_FALSE(better_over_seeds({{1, 0.9}}, {{1, 0.5}}, Better::kHigher));
  // Only seeds that both have are compared.
  EXPECT_FALSE(better_over_seeds({{1, 0.9}, {2, 0.91}}, {{2, 0.5}, {3, 0.51}}, Better::kHigher));
  EXPECT_THROW(better_over_users({{1.0, 2.0}}, {{1.0}}), Failure);
}

TEST(Cells, OfTimesAreMedians) {
  EXPECT_DOUBLE_EQ(median_cell_of({2.0, 40.0, 1.0}).ours->mean, 2.0);
  EXPECT_DOUBLE_EQ(median_cell_of({2.0, 40.0, 1.0, 3.0}).ours->mean, 2.5);
  EXPECT_FALSE(median_cell_of({2.0, 40.0, 1.0}).ours->error.has_value());
  EXPECT_EQ(median_cell_of({2.0, 40.0, 1.0}).runs, 3);
  EXPECT_FALSE(median_cell_of({}).ours.has_value());
  EXPECT_DOUBLE_EQ(median_cell_of({}, Estimate{4.9}).paper->mean, 4.9);
}

TEST(Sweeps, GiveZeroAPlaceOnALogarithmicAxis) {
  const Series series = sweep_series("a", {{0.0, {1.0, 2.0}}, {0.01, {3.0, 3.5}}, {0.1, {}}});
  EXPECT_EQ(series.x, (std::vector<double>{0.001, 0.01}));
  EXPECT_EQ(series.y, (std::vector<double>{1.5, 3.25}));
  EXPECT_EQ(series.error.size(), 2U);
  EXPECT_EQ(weight_axis("w", {0.0, 0.01}).ticks.front().second, "0");
}

TEST(Experiments, HaveNamesOfTheirOwnAndPlanNothingWithoutData) {
  const TempFolder folder;
  ReproduceSetup setup;
  setup.data = folder.path();
  setup.folder = folder / "out";
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments()) names.emplace_back(experiment.name);
  std::vector<std::string> sorted = names;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::unique(sorted).begin(), sorted.end());
  for (const char* name : {"figure-1", "table-1", "table-2", "figure-2", "figure-3", "table-3", "table-4", "figure-4",
                           "table-5", "figure-5"}) {
    EXPECT_NE(std::ranges::find(names, name), names.end()) << name;
  }
  ExperimentJobs jobs(setup);
  for (const Experiment& experiment : recommend_experiments()) experiment.plan(setup, jobs);
  for (const Experiment& experiment : equation_experiments()) experiment.plan(setup, jobs);
  EXPECT_TRUE(jobs.in_order().empty());
}

}  // namespace
}  // namespace linn::app
