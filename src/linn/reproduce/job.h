// The smallest piece of a reproduction: some commands of this program, one after the other.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace linn {

struct Job {
  std::string name;                                // also that of its files
  std::vector<std::vector<std::string>> commands;  // each what follows `linn`, ending in --json
  double cost = 1.0;                               // about how many seconds it takes on one core, for the time left
  bool alone = false;                              // while no other job runs, because it measures speed
};

// As it would be typed.
std::string command_line(const std::vector<std::string>& arguments);

// What the commands of finished jobs printed, by the name of the job.
class JobResults {
 public:
  using Json = nlohmann::ordered_json;

  // Null where the job, or that command of it, is not done.
  const Json& of(const std::string& job, std::size_t command = 0) const;
  void add(const std::string& job, Json outputs) { outputs_[job] = std::move(outputs); }
  bool has(const std::string& job) const { return outputs_.contains(job); }

 private:
  std::map<std::string, Json> outputs_;
};

struct JobsReport {
  bool finished = false;              // all are done or have failed
  std::vector<std::string> failures;  // a line for each job that failed
};

struct JobsProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  double seconds_left = 0.0;
  std::string last;  // the job that ended
};

// Runs jobs that are not done yet as processes of this program, several at a time, in order. A job's result is a file
// folder/NAME.json, so what was done before, with the same commands, is only read. `stop` is asked between jobs; the
// commands get Ctrl-C from the terminal themselves.
JobsReport run_jobs(const std::vector<Job>& jobs, const std::filesystem::path& folder, std::size_t at_a_time,
                    JobResults& results, const std::function<void(const JobsProgress&)>& tell,
                    const std::function<bool()>& stop);

}  // namespace linn
