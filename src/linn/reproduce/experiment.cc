#include "linn/reproduce/experiment.h"

#include <fmt/format.h>

#include <algorithm>

#include "linn/base/file.h"

namespace linn {
namespace {

using Json = JobResults::Json;

bool is_logic_model(const Training& training) { return training.model == "linn" || training.model == "linn-rl"; }

// The file with the values of the variables, as the authors and as `linn generate` name it; empty if there is none.
std::filesystem::path truth_of(const ReproduceSetup& setup, const Training& training, std::uint64_t seed) {
  const std::filesystem::path folder = data_folder(setup, training, seed);
  if (!training.generate.empty()) return folder / "variables.tsv";
  const std::filesystem::path authors = folder / "variable.csv";
  return std::filesystem::exists(authors) ? authors : std::filesystem::path();
}

std::filesystem::path user_table(const ReproduceSetup& setup, const Training& training, std::uint64_t seed) {
  return run_folder(setup, training, seed) / "users.tsv";
}

// The commands of a job, each with what it is asked for.
std::vector<std::pair<Ask, std::vector<std::string>>> commands_of(const ReproduceSetup& setup, const Training& training,
                                                                  std::uint64_t seed) {
  std::vector<std::pair<Ask, std::vector<std::string>>> commands;
  const std::string run = run_folder(setup, training, seed).string();
  const std::string number = fmt::format("{}", seed);
  std::vector<std::string> train = {"train",   training.task, "--data", data_folder(setup, training, seed).string(),
                                    "--model", training.model};
  if (training.model != "exact" && training.model != "majority") {
    train.insert(train.end(), {"--preset", training.preset});
  }
  for (const std::string& setting : training.settings) train.insert(train.end(), {"--set", setting});
  train.insert(train.end(), training.options.begin(), training.options.end());
  train.insert(train.end(), {"--seed", number, "--threads", "1", "--out", run, "--resume", "--quiet", "--json"});
  commands.emplace_back(Ask::kTrain, train);
  if (training.task == "equations") {
    if (!is_logic_model(training)) return commands;
    if (const auto truth = truth_of(setup, training, seed); !truth.empty()) {
      commands.push_back({Ask::kSolve, {"solve", run, "--truth", truth.string(), "--threads", "1", "--json"}});
    }
    commands.push_back({Ask::kAudit, {"audit", run, "--threads", "1", "--json"}});
    return commands;
  }
  std::vector<std::string> rank = {"evaluate",  run, "--per-user", user_table(setup, training, seed).string(),
                                   "--threads", "1", "--json"};
  if (is_logic_model(training) || training.preset == "best") rank.insert(rank.begin() + 2, "--explanations");
  commands.emplace_back(Ask::kRank, rank);
  if (is_logic_model(training)) {
    commands.push_back(
        {Ask::kCooccur, {"cooccur", run, "--out", run + "/map.csv", "--seed", number, "--threads", "1", "--json"}});
  }
  return commands;
}

}  // namespace

std::string Training::name(std::uint64_t seed) const {
  std::string text = fmt::format("{}-{}-{}", data, model, preset);
  for (const std::string& setting : settings) text += "-" + setting;
  for (const std::string& option : options) text += (option.starts_with("-") ? option.substr(1) : "-" + option);
  text += fmt::format("-seed{}", seed);
  std::ranges::replace_if(
      text, [](char c) { return c == '/' || c == ' ' || c == ','; }, '_');
  return text;
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
    for (auto& [ask, command] : commands_of(setup_, training, seed)) job.commands.push_back(std::move(command));
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

const Json& ExperimentResults::output(const Training& training, std::uint64_t seed, Ask ask) const {
  const auto commands = commands_of(setup_, training, seed);
  const auto found = std::ranges::find_if(commands, [&](const auto& command) { return command.first == ask; });
  const std::size_t before = training.generate.empty() ? 0 : 1;
  return results_.of(training.name(seed), before + static_cast<std::size_t>(found - commands.begin()));
}

std::vector<double> ExperimentResults::figures(const Training& training, const std::string& pointer, Ask ask) const {
  std::vector<double> figures;
  const Json::json_pointer place(pointer);
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    const Json& printed = output(training, seed, ask);
    if (printed.is_object() && printed.contains(place) && printed[place].is_number()) {
      figures.push_back(printed[place].get<double>());
    }
  }
  return figures;
}

std::vector<std::vector<double>> ExperimentResults::user_figures(const Training& training,
                                                                 std::string_view measure) const {
  std::vector<std::vector<double>> runs;
  for (std::uint64_t seed = 1; seed <= setup_.seeds; ++seed) {
    if (output(training, seed, Ask::kRank).is_null()) continue;
    LineReader reader(user_table(setup_, training, seed));
    std::string_view line;
    const auto field = [&](std::size_t number) {
      std::string_view rest = line;
      for (; number > 0; --number) rest.remove_prefix(std::min(rest.size(), rest.find('\t') + 1));
      return std::string(rest.substr(0, rest.find('\t')));
    };
    reader.next(line);
    std::size_t column = 0;
    while (column < 16 && field(column) != measure) ++column;
    runs.emplace_back();
    while (reader.next(line)) runs.back().push_back(std::stod(field(column)));
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
      const Json epoch = Json::parse(line, nullptr, false);
      if (epoch.is_object() && epoch.contains(place)) runs.back().push_back(epoch[place].get<double>());
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

}  // namespace linn
