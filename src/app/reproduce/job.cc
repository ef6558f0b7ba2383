#include "app/reproduce/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "app/cli/program_name.h"
#include "app/cli/shell_quoted.h"
#include "app/process/child_pool.h"
#include "app/process/child_process.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

using Clock = std::chrono::steady_clock;

class Runner {
 public:
  Runner(const std::filesystem::path& folder, JobResults& results) : folder_(folder), results_(results) {}

  // Takes over what an earlier call has left, as far as it was told the same. True if nothing is left to do.
  bool read_earlier(const Job& job) {
    const std::filesystem::path path = file(job, ".json");
    if (!std::filesystem::exists(path)) return job.commands.empty();
    const Json stored = Json::parse(read_file(path), nullptr, false);
    if (!stored.is_array()) return false;
    for (std::size_t i = 0; i < job.commands.size() && i < stored.size(); ++i) {
      const Json& command = stored[i];
      if (!command.is_object() || command.value("words", Json()) != Json(job.commands[i])) break;
      results_.add(job.name,
                   {job.commands[i], command.value("program", std::string()), command.value("output", Json())});
    }
    return results_.done(job.name).size() == job.commands.size();
  }

  // The next command of a job.
  pid_t start(const Job& job) const {
    return start_child(this_program(), job.commands[results_.done(job.name).size()], file(job, ".out"),
                       file(job, ".log"));
  }

  // Takes what the command printed. A complaint if it has failed.
  std::optional<std::string> take(const Job& job, const EndedChild& ended) {
    Json output = Json::parse(read_file(file(job, ".out")), nullptr, false);
    if (ended.status != 0 || !output.is_object()) {
      std::string complaint = first_complaint(read_file(file(job, ".log")));
      return complaint.empty() ? fmt::format("status {}", ended.status) : complaint;
    }
    results_.add(job.name, {job.commands[results_.done(job.name).size()], program_name(), std::move(output)});
    Json done = Json::array();
    for (const DoneCommand& command : results_.done(job.name)) {
      done.push_back({{"words", command.words}, {"program", command.program}, {"output", command.output}});
    }
    write_file(file(job, ".json"), done.dump(1) + "\n");
    std::filesystem::remove(file(job, ".out"));
    std::filesystem::remove(file(job, ".log"));
    return std::nullopt;
  }

 private:
  std::filesystem::path file(const Job& job, const char* ending) const { return folder_ / (job.name + ending); }

  const std::filesystem::path& folder_;
  JobResults& results_;
};

}  // namespace

std::string command_line(const std::vector<std::string>& arguments) {
  std::string line = "linn";
  for (const std::string& word : arguments) {
    constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=,+:";
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    line += ' ';
    line += plain ? word : shell_quoted(word);
  }
  return line;
}

const Json& JobResults::of(const std::string& job, std::size_t command) const {
  static const Json kNone;
  const auto commands = done(job);
  return command < commands.size() ? commands[command].output : kNone;
}

std::span<const DoneCommand> JobResults::done(const std::string& job) const {
  const auto found = jobs_.find(job);
  return found == jobs_.end() ? std::span<const DoneCommand>() : std::span(found->second);
}

void JobResults::add(const std::string& job, DoneCommand command) { jobs_[job].push_back(std::move(command)); }

std::set<std::string> JobResults::programs() const {
  std::set<std::string> programs;
  for (const auto& [job, commands] : jobs_) {
    for (const DoneCommand& command : commands) {
      if (!command.program.empty()) programs.insert(command.program);
    }
  }
  return programs;
}

JobsReport run_jobs(const std::vector<Job>& jobs, const std::filesystem::path& folder, std::size_t at_a_time,
                    JobResults& results, const std::function<void(const JobsProgress&)>& tell,
                    const std::function<bool()>& stop) {
  std::filesystem::create_directories(folder);
  Runner runner(folder, results);
  JobsReport report;
  JobsProgress progress;
  progress.total = jobs.size();
  std::vector<const Job*> waiting;
  double cost_left = 0.0;
  for (const Job& job : jobs) {
    if (runner.read_earlier(job)) {
      ++progress.done;
    } else {
      waiting.push_back(&job);
      cost_left += job.cost;
    }
  }
  // Those that measure speed come when the others are through.
  std::ranges::stable_partition(waiting, [](const Job* job) { return !job->alone; });

  const Clock::time_point began = Clock::now();
  double cost_done = 0.0;
  const auto finish = [&](const Job& job, const std::optional<std::string>& complaint) {
    if (complaint) report.failures.push_back({job.name, *complaint});
    ++progress.done;
    cost_done += job.cost;
    cost_left -= job.cost;
    progress.last = job.name;
    progress.seconds_left =
        std::max(0.0, std::chrono::duration<double>(Clock::now() - began).count() / cost_done * cost_left);
    tell(progress);
  };
  ChildPool pool(stop);
  const auto start = [&](std::size_t number) {
    try {
      pool.add(runner.start(*waiting[number]), number);
    } catch (const Failure& failure) {
      finish(*waiting[number], failure.what());
    }
  };
  std::size_t next = 0;
  for (;;) {
    while (!pool.stopped() && next < waiting.size() && pool.size() < (waiting[next]->alone ? 1 : at_a_time)) {
      start(next++);
    }
    if (pool.empty()) break;
    const auto ended = pool.wait();
    if (!ended) continue;
    const Job& job = *waiting[ended->number];
    const auto complaint = runner.take(job, ended->child);
    const bool complete = results.done(job.name).size() == job.commands.size();
    if (complaint ? pool.stopped() : !complete) {
      if (!pool.stopped()) start(ended->number);  // otherwise it goes on another time
      continue;
    }
    finish(job, complaint);
  }
  report.finished = !pool.stopped();
  return report;
}

}  // namespace linn::app
