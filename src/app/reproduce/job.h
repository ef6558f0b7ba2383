// The smallest piece of a reproduction: some commands of this program, one after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "linn/base/json.h"

namespace linn::app {

struct Job {
  std::string name;                                // also that of its files
  std::vector<std::vector<std::string>> commands;  // each what follows `linn`, ending in --json
  double cost = 1.0;                               // about how many seconds it takes on one core, for the time left
  bool alone = false;                              // while no other job runs, because it measures speed
};

// As it would be typed.
std::string command_line(const std::vector<std::string>& arguments);

// A command of a job that has been run.
struct DoneCommand {
  std::vector<std::string> words;
  std::string program;  // such as "linn 0.1.0 (1a2b3c)"
  Json output;
};

// What the commands of jobs printed, by the name of the job.
class JobResults {
 public:
  // Null where that command of the job is not done.
  const Json& of(const std::string& job, std::size_t command = 0) const;
  // Those that are done, in order.
  std::span<const DoneCommand> done(const std::string& job) const;
  // The next one.
  void add(const std::string& job, DoneCommand command);
  // All programs that took part.
  std::set<std::string> programs() const;

 private:
  std::map<std::string, std::vector<DoneCommand>> jobs_;
};

struct JobFailure {
  std::string job;
  std::string complaint;  // a line
};

struct JobsReport {
  bool finished = false;  // all are done or have failed
  std::vector<JobFailure> failures;
};

struct JobsProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  double seconds_left = 0.0;
  std::string last;  // the job that ended
};

// Runs jobs that are not done yet as processes of this program, several at a time, in order. What each command printed
// goes into a file folder/NAME.json at once, so a job goes on behind the last command that was done before in the same
// words. `stop` is asked between commands and some times a second; once it says yes the commands are told to end.
JobsReport run_jobs(const std::vector<Job>& jobs, const std::filesystem::path& folder, std::size_t at_a_time,
                    JobResults& results, const std::function<void(const JobsProgress&)>& tell,
                    const std::function<bool()>& stop);

}  // namespace linn::app
