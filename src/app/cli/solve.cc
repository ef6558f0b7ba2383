// linn solve: the values of the variables.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "app/cli/program.h"
#include "app/evaluate/equation_run.h"
#include "app/evaluate/variable_truth.h"
#include "linn/base/error.h"
#include "linn/equations/linn_equation_model.h"

namespace linn::app {
namespace {

enum class SolveBy : std::uint8_t { kSimilarity, kClusters };

const std::vector<Choice<SolveBy>> kWays = {{"similarity", SolveBy::kSimilarity}, {"clusters", SolveBy::kClusters}};

struct Solve {
  std::string run;
  std::string truth;
  SolveBy by = SolveBy::kSimilarity;
  ClusterDistance distance = ClusterDistance::kCosine;
  std::size_t threads = 0;
};

struct Score {
  std::size_t right = 0;
  std::size_t known = 0;
  double accuracy() const { return static_cast<double>(right) / static_cast<double>(known); }
};

Score score_of(const std::vector<float>& p, const Truth& truth) {
  Score score;
  for (VariableId id = 0; id < truth.size(); ++id) {
    if (!truth[id]) continue;
    ++score.known;
    score.right += (p[id] >= 0.5F) == *truth[id] ? 1 : 0;
  }
  return score;
}

void run(const Solve& options, const Program& program) {
  const auto model = load_equation_run(options.run);
  const LogicModel* network = model->logic_model();
  if (options.by == SolveBy::kClusters && network == nullptr) {
    throw InputError("--by clusters needs a LINN, and this run has another model", Place{options.run, 0, 0});
  }
  ThreadPool threads(options.threads);
  const Vocabulary& names = model->names();
  const auto solve = [&](SolveBy by) {
    return by == SolveBy::kSimilarity ? model->variables(threads)
                                      : solve_by_clusters(*network, options.distance, program.seed);
  };
  const std::vector<float> p = solve(options.by);

  // With a truth file, every method that the model supports is scored.
  std::vector<std::pair<std::string, Score>> scores;
  std::optional<Score> score;
  if (!options.truth.empty()) {
    const Truth truth = read_truth_of(names, options.truth);
    for (const auto& way : kWays) {
      if (way.value == SolveBy::kClusters && network == nullptr) continue;
      const Score of = score_of(way.value == options.by ? p : solve(way.value), truth);
      scores.emplace_back(way.word, of);
      if (way.value == options.by) score = of;
    }
  }

  if (program.json) {
    Json variables = Json::object();
    for (VariableId id = 0; id < names.size(); ++id) {
      variables[names.name(id)] = {
          {"value", p[id] >= 0.5F}, {"probability", p[id]}, {"confidence", std::max(p[id], 1.0F - p[id])}};
    }
    Json object = {{"variables", std::move(variables)}};
    if (score) {
      object["accuracy"] = score->accuracy();
      object["count"] = score->known;
      for (const auto& [way, of] : scores) object["accuracies"][way] = of.accuracy();
    }
    print_json(object);
    return;
  }
  // A table that --truth can read. Names contain no tabs, so no quoting is needed.
  fmt::print("variable\tvalue\tprobability\tconfidence\n");
  for (VariableId id = 0; id < names.size(); ++id) {
    fmt::print("{}\t{}\t{:.4f}\t{:.4f}\n", names.name(id), p[id] >= 0.5F ? "T" : "F", p[id],
               std::max(p[id], 1.0F - p[id]));
  }
  for (const auto& [way, of] : scores) {
    fmt::print(stderr, "by {}: {} of {} correct: {:.4f}\n", way, of.right, of.known, of.accuracy());
  }
}

}  // namespace

void add_solve_command(CLI::App& app, Program& program) {
  CLI::App* solve = app.add_subcommand("solve", "Print the value of every variable");
  auto options = std::make_shared<Solve>();
  add_run_argument(*solve, options->run);
  add_threads_option(*solve, options->threads);
  add_json_option(*solve, program);
  solve
      ->add_option("--truth", options->truth, "A table of true values to compare with, in the format that solve prints")
      ->type_name("FILE");
  add_choice<SolveBy>(*solve, "--by", options->by, kWays,
                      "How values are found: by similarity to T and F, or by splitting the vectors into two clusters");
  add_choice<ClusterDistance>(*solve, "--distance", options->distance,
                              {{"cosine", ClusterDistance::kCosine}, {"euclidean", ClusterDistance::kEuclidean}},
                              "Distance between vectors for --by clusters");
  add_seed_option(*solve, program);
  run_if_chosen(*solve, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
