#include "app/reproduce/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "app/task_kinds.h"
#include "linn/base/file.h"
#include "linn/data/data_folder.h"
#include "linn/data/numbers.h"
#include "linn/metrics/paired_test.h"
#include "linn/model/run_config.h"

namespace linn::app {
namespace {

bool is_logic_model(const Training& training) { return training.model == "linn" || training.model == "linn-rl"; }

std::filesystem::path user_table(const ReproduceSetup& setup, const Training& training, std::uint64_t seed) {
  return run_folder(setup, training, seed) / "users.tsv";
}

// The commands of a job for one seed.
std::vector<std::pair<Printed, std::vector<std::string>>> commands_of(const ReproduceSetup& setup,
                                                                      const Training& training, std::uint64_t seed) {
  std::vector<std::pair<Printed, std::vector<std::string>>> commands;
  const std::string run = run_folder(setup, training, seed).string();
  const std::string number = fmt::format("{}", seed);
  std::vector<std::string> train = {"train",   training.task, "--data", data_folder(setup, training, seed).string(),
                                    "--model", training.model};
  if (model_kind(training.task, training.model).trains_by_epochs()) {
    train.insert(train.end(), {"--preset", training.preset});
  }
  for (const std::string& setting : training.settings) train.insert(train.end(), {"--set", setting});
  train.insert(train.end(), training.options.begin(), training.options.end());
  train.insert(train.end(), {"--seed", number, "--threads", "1", "--out", run, "--resume", "--quiet", "--json"});
  if (setup.device != "cpu" && is_logic_model(training)) train.insert(train.end(), {"--device", setup.device});
  commands.emplace_back(Printed::kTrain, train);
  if (training.task == kEquationTask) {
    // Data that is still to be generated will have the file that `linn generate` writes.
    const std::filesystem::path data = data_folder(setup, training, seed);
    const auto truth = training.generate.empty() ? truth_file(data) : data / "variables.tsv";
    if (!truth.empty() && (is_logic_model(training) || training.model == "exact")) {
      commands.push_back({Printed::kSolve, {"solve", run, "--truth", truth.string(), "--threads", "1", "--json"}});
    }
    if (is_logic_model(training)) {
      commands.push_back({Printed::kAudit, {"audit", run, "--threads", "1", "--json"}});
    }
    return commands;
  }
  std::vector<std::string> rank = {"evaluate",  run, "--per-user", user_table(setup, training, seed).string(),
                                   "--threads", "1", "--json"};
  const bool linn = training.model == "linn" && training.settings.empty();
  if (linn && training.preset == "best") rank.insert(rank.begin() + 2, "--explanations");
  commands.emplace_back(Printed::kRank, rank);
  if (linn && training.preset == "paper") {
    commands.push_back(
        {Printed::kCooccur, {"cooccur", run, "--out", run + "/map.csv", "--seed", number, "--threads", "1", "--json"}});
  }
  return commands;
}

}  // namespace

double number_in(const TableReader& table, std::size_t column) {
  const auto number = parse_number(table.field(column));
  if (!number) throw table.error(column, "expected a number");
  return *number;
}

std::string Training::name(std::uint64_t seed) const {
  std::string text = fmt::format("{}-{}", data, model);
  if (!preset.empty()) text += "-" + preset;
  for (const std::string& setting : settings) text += "-" + setting;
  for (const std::string& option : options) text += (option.starts_with("-") ? option.substr(1) : "-" + option);
  text += fmt::format("-seed{}", seed);
  std::ranges::replace_if(
      text, [](char c) { return c == '/' || c == ' ' || c == ','; }, '_');
  return text;
}

std::filesystem::path truth_file(const std::filesystem::path& data) {
  return find_table(data, {"variables", "variable"});
}

std::filesystem::path run_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed) {
  return setup.folder / "runs" / training.name(seed);
}

std::filesystem::path data_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed) {
  if (training.generate.empty()) return setup.data / training.data;
  return setup.folder / "generated" / fmt::format("{}-seed{}", training.data, seed);
}

void ExperimentJobs::add(const Training& training) {
  if (training.generate.empty() && !setup_.has(training.data)) return;
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    Job job;
    job.name = training.name(seed);
    job.cost = training.cost;
    if (!training.generate.empty()) {
      std::vector<std::string> generate = {"generate"};
      generate.insert(generate.end(), training.generate.begin(), training.generate.end());
      generate.insert(generate.end(), {"--seed", fmt::format("{}", seed), "--out",
                                       data_folder(setup_, training, seed).string(), "--force", "--json"});
      job.commands.push_back(std::move(generate));
    }
    for (auto& [printed, command] : commands_of(setup_, training, seed)) job.commands.push_back(std::move(command));
    const bool known = std::ranges::any_of(jobs_, [&](const auto& other) { return other.second.name == job.name; });
    if (!known) jobs_.emplace_back(seed, std::move(job));
  }
}

void ExperimentJobs::add(Job job) { jobs_.emplace_back(0, std::move(job)); }

std::vector<Job> ExperimentJobs::in_order() const {
  auto sorted = jobs_;
  std::ranges::stable_sort(sorted, {}, [](const auto& job) { return job.first; });
  std::vector<Job> jobs;
  for (auto& [seed, job] : sorted) jobs.push_back(std::move(job));
  return jobs;
}

const Json& ExperimentResults::output(const Training& training, std::uint64_t seed, Printed command) const {
  const auto commands = commands_of(setup_, training, seed);
  const auto found = std::ranges::find_if(commands, [&](const auto& entry) { return entry.first == command; });
  const std::size_t before = training.generate.empty() ? 0 : 1;
  return results_.of(training.name(seed), before + static_cast<std::size_t>(found - commands.begin()));
}

std::map<std::uint64_t, double> ExperimentResults::figures_by_seed(const Training& training, const std::string& pointer,
                                                                   Printed command) const {
  std::map<std::uint64_t, double> figures;
  const Json::json_pointer place(pointer);
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    const Json& printed = output(training, seed, command);
    if (printed.is_object() && printed.contains(place) && printed[place].is_number()) {
      figures[seed] = printed[place].get<double>();
    }
  }
  return figures;
}

std::vector<double> ExperimentResults::figures(const Training& training, const std::string& pointer,
                                               Printed command) const {
  std::vector<double> figures;
  for (const auto& [seed, figure] : figures_by_seed(training, pointer, command)) figures.push_back(figure);
  return figures;
}

std::vector<std::vector<double>> ExperimentResults::user_figures(const Training& training,
                                                                 std::string_view measure) const {
  std::vector<std::vector<double>> runs;
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    if (output(training, seed, Printed::kRank).is_null()) continue;
    TableReader table(user_table(setup_, training, seed));
    const std::size_t user = table.column({"user"});
    const std::size_t column = table.column({measure});
    std::vector<std::string> users;
    std::vector<double> values;
    while (table.next()) {
      users.emplace_back(table.field(user));
      values.push_back(number_in(table, column));
    }
    runs.push_back(mean_by_user(std::span<const std::string>(users), values));
  }
  return runs;
}

std::vector<double> ExperimentResults::epoch_figures(const Training& training, const std::string& pointer) const {
  std::vector<std::vector<double>> runs;
  const Json::json_pointer place(pointer);
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    if (output(training, seed).is_null()) continue;
    runs.emplace_back();
    LineReader reader(run_folder(setup_, training, seed) / "metrics.jsonl");
    std::string_view line;
    while (reader.next(line)) {
      const Json epoch = parse_json(std::string(line));
      if (epoch.is_object() && epoch.contains(place) && epoch[place].is_number())
        runs.back().push_back(epoch[place].get<double>());
    }
  }
  std::vector<double> mean;
  if (runs.empty()) return mean;
  std::size_t epochs = runs.front().size();
  for (const auto& run : runs) epochs = std::min(epochs, run.size());
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    double sum = 0.0;
    for (const auto& run : runs) sum += run[epoch];
    mean.push_back(sum / static_cast<double>(runs.size()));
  }
  return mean;
}

std::vector<Experiment> experiments() {
  std::vector<Experiment> all;
  for (const auto family : {equation_experiments(), recommend_experiments(), further_experiments()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace linn::app
