// Runs jobs side by side. A job is a list of commands of one program, run one after the other; each prints one JSON
// object, which is stored on disk at once, so that a later call resumes behind the last command that finished.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "app/process/child_process.h"
#include "linn/base/json.h"

namespace linn::app {

struct Job {
  std::string name;                                // its results are stored in NAME.json
  std::vector<std::vector<std::string>> commands;  // the arguments of each
  double cost = 1.0;                               // estimated seconds on one core, for the remaining time
  bool alone = false;                              // run it while no other job runs, because it measures speed
  // Stored results count for any job of this name. Otherwise they count as far as the arguments are the same.
  bool match_by_name = false;
};

struct FinishedCommand {
  std::vector<std::string> words;
  std::string program;  // such as "linn 0.1.0 (1a2b3c)"
  Json output;
};

// The output of finished commands, by job.
class JobResults {
 public:
  // Null if that command has not finished.
  const Json& of(const std::string& job, std::size_t command = 0) const;
  // The finished commands of a job, in order.
  std::span<const FinishedCommand> finished(const std::string& job) const;
  bool complete(const Job& job) const { return finished(job.name).size() == job.commands.size(); }
  void add(const std::string& job, FinishedCommand command);
  // All program versions that contributed.
  std::set<std::string> programs() const;

 private:
  std::map<std::string, std::vector<FinishedCommand>> jobs_;
};

struct JobFailure {
  std::string job;
  std::string message;  // one line
  int status = 0;
  bool interrupted = false;  // ended by a signal, or the output says "interrupted": true
  bool diverged = false;     // the output says "diverged": true
};

struct JobEnd {
  const Job& job;
  const JobFailure* failure;  // null: the job succeeded
  std::size_t ended = 0;      // jobs so far, including those of earlier calls
  std::size_t total = 0;
  double seconds_left = 0.0;
};

struct JobRunnerOptions {
  std::filesystem::path folder;  // results go here
  std::size_t parallel = 1;      // jobs at a time
  std::filesystem::path program = this_program();
  std::function<bool()> stop = [] { return false; };  // polled several times a second; true: terminate the commands
  std::function<void(const JobEnd&)> on_end = [](const JobEnd&) {};  // an exception terminates the commands
};

struct JobsReport {
  bool finished = false;  // not stopped: every job has succeeded or failed
  std::vector<JobFailure> failures;
};

// Runs the jobs that are not complete, in order, those that run alone last. Loads stored results into `results`.
// Commands that `stop` cut off count neither as finished nor as failed. One call at a time works in a folder; another
// waits some seconds, in which the commands of a call that was killed end, and then throws Failure.
JobsReport run_jobs(const std::vector<Job>& jobs, const JobRunnerOptions& options, JobResults& results);

}  // namespace linn::app
