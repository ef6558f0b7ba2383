// The parts of a reproduction: each table or figure plans the jobs it needs and is drawn from their results.
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

#include "app/process/job_runner.h"
#include "app/report/document.h"
#include "linn/data/table.h"

namespace linn::app {

struct ReproduceSetup {
  std::filesystem::path data;    // a folder of data folders
  std::filesystem::path folder;  // runs, results and figures go here
  std::size_t seeds = 5;
  bool quick = false;          // few epochs
  std::string device = "cpu";  // of LINN; other models are computed on the CPU

  bool has(std::string_view set) const { return std::filesystem::is_directory(data / set); }
};

// The names of the data folders.
inline constexpr std::string_view kEquations1k = "equations-1k";
inline constexpr std::string_view kEquations10k = "equations-10k";
inline constexpr std::string_view kMovieLens = "ml100k-authors";
inline constexpr std::string_view kElectronics = "electronics-authors";

// A training with several seeds. Trainings of the same name are shared by experiments and run once.
struct Training {
  std::string task;
  std::string data;  // a data folder of the setup, or the name of one that `generate` makes
  std::string model = "linn";
  std::string preset = "paper";            // not passed to models that are fitted at once
  std::vector<std::string> settings = {};  // KEY=VALUE
  std::vector<std::string> options = {};   // further arguments of `linn train`
  std::vector<std::string> generate = {};  // arguments of `linn generate`, which makes the data of each seed
  double cost = 60.0;                      // of one run: estimated seconds on one core

  std::string name(std::uint64_t seed) const;
};

// The commands of a job, named after what they print.
enum class Printed : std::uint8_t {
  kTrain,    // metrics
  kSolve,    // values of variables: LINN and the exact reasoner, if the data has the truth
  kAudit,    // laws: LINN on equations
  kRank,     // ranking per user: recommenders; quality of explanations: LINN with the preset best
  kCooccur,  // co-occurrence: LINN with the preset paper
};

// The jobs of the chosen experiments.
class ExperimentJobs {
 public:
  explicit ExperimentJobs(const ReproduceSetup& setup) : setup_(setup) {}

  // Adds one job per seed, or nothing if the setup lacks the data.
  void add(const Training& training);
  void add(Job job);
  // The first seed of everything, then the second, so that a first report is available early.
  std::vector<Job> in_order() const;

 private:
  const ReproduceSetup& setup_;
  std::vector<std::pair<std::uint64_t, Job>> jobs_;
};

// The results of the jobs.
class ExperimentResults {
 public:
  ExperimentResults(const ReproduceSetup& setup, const JobResults& results) : setup_(setup), results_(results) {}

  const ReproduceSetup& setup() const { return setup_; }
  // The output of a command of a run; null if it has not been run.
  const Json& output(const Training& training, std::uint64_t seed, Printed command = Printed::kTrain) const;
  const Json& output(const std::string& job, std::size_t command) const { return results_.of(job, command); }
  // The value at a JSON pointer in the output of each run, without runs that are missing.
  std::map<std::uint64_t, double> figures_by_seed(const Training& training, const std::string& pointer,
                                                  Printed command = Printed::kTrain) const;
  std::vector<double> figures(const Training& training, const std::string& pointer,
                              Printed command = Printed::kTrain) const;
  // The value of a measure for each user, one vector per finished run. Throws InputError if a run's table lacks it.
  std::vector<std::vector<double>> user_figures(const Training& training, std::string_view measure) const;
  // A value of each epoch, averaged over the finished runs, up to the last epoch that all of them have.
  std::vector<double> epoch_figures(const Training& training, const std::string& pointer) const;

 private:
  const ReproduceSetup& setup_;
  const JobResults& results_;
};

// The file of a data folder with the true values of the variables; empty if there is none.
std::filesystem::path truth_file(const std::filesystem::path& data);
std::filesystem::path run_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed);
std::filesystem::path data_folder(const ReproduceSetup& setup, const Training& training, std::uint64_t seed);

// The number in a column of the current row. Throws InputError with its place if it is not a number.
double number_in(const TableReader& table, std::size_t column);

struct Experiment {
  std::string_view name;
  std::string_view title;
  void (*plan)(const ReproduceSetup& setup, ExperimentJobs& jobs);
  void (*report)(const ExperimentResults& results, ReportSection& section);
};

// For experiments that need no runs.
inline void plan_nothing(const ReproduceSetup& /*setup*/, ExperimentJobs& /*jobs*/) {}

// In the order of the report.
std::vector<Experiment> experiments();

// The groups they come from.
std::span<const Experiment> equation_experiments();
std::span<const Experiment> recommend_experiments();
std::span<const Experiment> further_experiments();  // not in the paper

}  // namespace linn::app
