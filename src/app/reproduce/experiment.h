// What a reproduction is made of: a table or figure says which jobs it needs and how it is drawn from their results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/report/document.h"
#include "app/reproduce/job.h"
#include "linn/data/table.h"

namespace linn::app {

// What the person asked for.
struct ReproduceSetup {
  std::filesystem::path data;    // a folder of data folders
  std::filesystem::path folder;  // of runs, results and what is drawn
  std::size_t seeds = 5;
  bool quick = false;  // a first look: few epochs

  bool has(std::string_view set) const { return std::filesystem::is_directory(data / set); }
};

// The names of the data folders.
inline constexpr std::string_view kEquations1k = "equations-1k";
inline constexpr std::string_view kEquations10k = "equations-10k";
inline constexpr std::string_view kMovieLens = "ml100k-authors";
inline constexpr std::string_view kElectronics = "electronics-authors";

// A training over seeds. Trainings of the same name are the same wherever they are used, and run once.
struct Training {
  std::string task;
  std::string data;  // a data folder of the setup, or a name for one that `generate` makes
  std::string model = "linn";
  std::string preset = "paper";            // empty: a model that has none, being fitted at once
  std::vector<std::string> settings = {};  // KEY=VALUE
  std::vector<std::string> options = {};   // further words for `linn train`
  std::vector<std::string> generate = {};  // words for `linn generate`; data of its own for every seed
  double cost = 60.0;                      // of one run: about how many seconds on one core

  std::string name(std::uint64_t seed) const;
};

// What the commands that are asked of every run print.
enum class Printed : std::uint8_t {
  kTrain,    // printed by train
  kSolve,    // the values of the variables, where the data has the truth: LINN and the exact answer
  kAudit,    // the laws: LINN on equations
  kRank,     // each user's ranking: recommenders. Whether reasons are the right ones: LINN with its best settings
  kCooccur,  // the heat map: LINN as the paper has it
};

// The jobs of the experiments that were asked for.
class ExperimentJobs {
 public:
  explicit ExperimentJobs(const ReproduceSetup& setup) : setup_(setup) {}

  // A job for each seed; nothing where the setup lacks the data.
  void add(const Training& training);
  void add(Job job);
  // The first seed of everything, then the second, so that all can be looked at early.
  std::vector<Job> in_order() const;

 private:
  const ReproduceSetup& setup_;
  std::vector<std::pair<std::uint64_t, Job>> jobs_;
};

// What became of the jobs.
class ExperimentResults {
 public:
  ExperimentResults(const ReproduceSetup& setup, const JobResults& results) : setup_(setup), results_(results) {}

  const ReproduceSetup& setup() const { return setup_; }
  // What a command of a run printed; null if it has not been run.
  const Json& output(const Training& training, std::uint64_t seed, Printed ask = Printed::kTrain) const;
  const Json& output(const std::string& job, std::size_t command) const { return results_.of(job, command); }
  // A figure of every run: the value at a JSON pointer. By seed, without those that have not been run.
  std::map<std::uint64_t, double> figures_by_seed(const Training& training, const std::string& pointer,
                                                  Printed ask = Printed::kTrain) const;
  std::vector<double> figures(const Training& training, const std::string& pointer,
                              Printed ask = Printed::kTrain) const;
  // Each user's value of a measure, a vector for each finished run. Throws InputError where a run's table lacks it.
  std::vector<std::vector<double>> user_figures(const Training& training, std::string_view measure) const;
  // A figure of each epoch, averaged over the finished runs as far as all of them go.
  std::vector<double> epoch_figures(const Training& training, const std::string& pointer) const;

 private:
  const ReproduceSetup& setup_;
  const JobResults& results_;
};

// The file with the values of the variables of a data folder; empty if there is none.
std::filesystem::path truth_file(const std::filesystem::path& data);
std::filesystem::path run_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed);
std::filesystem::path data_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed);

// A number of a table that a command wrote. Throws InputError naming the place where there is none.
double number_in(const TableReader& table, std::size_t column);

struct Experiment {
  std::string_view name;
  std::string_view title;
  void (*plan)(const ReproduceSetup& setup, ExperimentJobs& jobs);
  void (*report)(const ExperimentResults& results, ReportSection& section);
};

// For what is drawn from no run.
inline void plan_nothing(const ReproduceSetup& /*setup*/, ExperimentJobs& /*jobs*/) {}

// In the order of the report.
std::vector<Experiment> experiments();

// The families they come from.
std::span<const Experiment> equation_experiments();
std::span<const Experiment> recommend_experiments();
std::span<const Experiment> further_experiments();  // what the paper lacks

}  // namespace linn::app
