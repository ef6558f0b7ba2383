#include "app/process/job_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/process/child_pool.h"
#include "app/process/command_line.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/lock_file.h"

namespace linn::app {
namespace {

using Clock = std::chrono::steady_clock;

// Starts the commands of jobs, and stores what they print.
class CommandRunner {
 public:
  CommandRunner(const JobRunnerOptions& options, JobResults& results)
      : folder_(options.folder), program_(options.program), results_(results) {}

  // Loads the results of earlier calls.
  void load(const Job& job) {
    const std::filesystem::path path = file(job, ".json");
    if (!std::filesystem::exists(path)) return;
    const Json stored = parse_json(read_file(path));
    const auto is_output = [](const Json& output) { return output.is_object() && !output.empty(); };
    // Version 0.1.0 stored the output of a tuning trial as it was.
    if (is_output(stored) && job.match_by_name && job.commands.size() == 1) {
      results_.add(job.name, {job.commands[0], "", stored});
    }
    if (!stored.is_array()) return;
    for (std::size_t i = 0; i < job.commands.size() && i < stored.size(); ++i) {
      const Json& command = stored[i];
      if (!command.is_object() || !is_output(command.value("output", Json()))) return;
      if (!job.match_by_name && command.value("words", Json()) != Json(job.commands[i])) return;
      const Json program = command.value("program", Json());
      results_.add(job.name, {job.commands[i], program.is_string() ? program.get<std::string>() : std::string(),
                              command.value("output", Json())});
    }
  }

  // A kill between storing a result and removing what it was read from leaves that behind.
  void remove_output(const Job& job) const {
    std::filesystem::remove(file(job, ".out"));
    std::filesystem::remove(file(job, ".log"));
  }

  // Starts the next command of a job.
  pid_t start(const Job& job) const { return start_child(program_, next(job), file(job, ".out"), file(job, ".log")); }

  // Stores the output of a command that has ended; returns the failure if there is one.
  std::optional<JobFailure> take(const Job& job, const EndedChild& ended) {
    Json output = parse_json(read_file(file(job, ".out")));
    if (ended.status != 0 || !output.is_object()) {
      JobFailure failure{job.name, first_complaint(read_file(file(job, ".log"))), ended.status, ended.killed};
      if (output.is_object()) {
        failure.interrupted = failure.interrupted || output.value("interrupted", Json()) == true;
        failure.diverged = output.value("diverged", Json()) == true;
      }
      if (failure.message.empty())
        failure.message = fmt::format("it ended with status {} and no message", ended.status);
      return failure;
    }
    results_.add(job.name, {next(job), program_name(), std::move(output)});
    Json stored = Json::array();
    for (const FinishedCommand& command : results_.finished(job.name)) {
      stored.push_back({{"words", command.words}, {"program", command.program}, {"output", command.output}});
    }
    write_file(file(job, ".json"), stored.dump(1) + "\n", Links::kReplace);
    remove_output(job);
    return std::nullopt;
  }

 private:
  std::filesystem::path file(const Job& job, const char* ending) const { return folder_ / (job.name + ending); }
  const std::vector<std::string>& next(const Job& job) const {
    return job.commands[results_.finished(job.name).size()];
  }

  const std::filesystem::path& folder_;
  const std::filesystem::path& program_;
  JobResults& results_;
};

}  // namespace

const Json& JobResults::of(const std::string& job, std::size_t command) const {
  static const Json kNone;
  const auto commands = finished(job);
  return command < commands.size() ? commands[command].output : kNone;
}

std::span<const FinishedCommand> JobResults::finished(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::span<const FinishedCommand>() : std::span(found->second);
}

void JobResults::add(const std::string& job, FinishedCommand command) { jobs_[job].push_back(std::move(command)); }

std::set<std::string> JobResults::programs() const {
  std::set<std::string> programs;
  for (const auto& [job, commands] : jobs_) {
    for (const FinishedCommand& command : commands) {
      if (!command.program.empty()) programs.insert(command.program);
    }
  }
  return programs;
}

JobsReport run_jobs(const std::vector<Job>& jobs, const JobRunnerOptions& options, JobResults& results) {
  create_folder(options.folder);
  constexpr std::chrono::seconds kPatience(10);
  const auto lock = LockFile::take(options.folder / "jobs.lock", kPatience, LockFile::Shared::kWithChildren);
  if (!lock) throw Failure(fmt::format("{}: another process is at work in this folder", options.folder.string()));
  remove_abandoned_files(options.folder);
  CommandRunner runner(options, results);
  std::vector<const Job*> waiting;
  double cost_left = 0.0;
  for (const Job& job : jobs) {
    runner.load(job);
    if (results.complete(job)) {
      runner.remove_output(job);
      continue;
    }
    waiting.push_back(&job);
    cost_left += job.cost;
  }
  std::ranges::stable_partition(waiting, [](const Job* job) { return !job->alone; });

  JobsReport report;
  std::size_t ended_jobs = jobs.size() - waiting.size();
  const Clock::time_point began = Clock::now();
  double cost_done = 0.0;
  const auto end = [&](const Job& job, const std::optional<JobFailure>& failure) {
    if (failure) report.failures.push_back(*failure);
    ++ended_jobs;
    cost_done += job.cost;
    cost_left -= job.cost;
    const double passed = std::chrono::duration<double>(Clock::now() - began).count();
    options.on_end(
        {job, failure ? &*failure : nullptr, ended_jobs, jobs.size(), std::max(0.0, passed / cost_done * cost_left)});
  };
  ChildPool pool(options.stop);
  const auto start = [&](std::size_t number) {
    const Job& job = *waiting[number];
    try {
      pool.add(runner.start(job), number);
    } catch (const Failure& failure) {
      end(job, JobFailure{job.name, failure.what()});
    }
  };
  std::size_t next = 0;
  for (;;) {
    while (!pool.stopped() && next < waiting.size() && pool.size() < (waiting[next]->alone ? 1 : options.parallel)) {
      start(next++);
    }
    if (pool.empty()) break;
    const auto ended = pool.wait();
    if (!ended) continue;
    const Job& job = *waiting[ended->number];
    const std::optional<JobFailure> failure = runner.take(job, ended->child);
    if (failure && pool.stopped()) continue;
    if (failure || results.complete(job)) {
      end(job, failure);
    } else if (!pool.stopped()) {
      start(ended->number);
    }
  }
  report.finished = !pool.stopped();
  return report;
}

}  // namespace linn::app
