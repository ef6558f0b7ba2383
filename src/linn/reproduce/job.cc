#include "linn/reproduce/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>

#include "linn/base/child_process.h"
#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn {
namespace {

using Json = JobResults::Json;
using Clock = std::chrono::steady_clock;

// A job on its way.
struct Running {
  const Job* job = nullptr;
  Json outputs = Json::array();
  Clock::time_point started;
};

class Runner {
 public:
  Runner(const std::filesystem::path& folder, JobResults& results) : folder_(folder), results_(results) {}

  // What an earlier call has left, if it was told the same.
  bool read_earlier(const Job& job) {
    const std::filesystem::path path = file(job, ".json");
    if (!std::filesystem::exists(path)) return false;
    const Json stored = Json::parse(read_file(path), nullptr, false);
    if (!stored.is_object() || stored.value("commands", Json()) != Json(job.commands)) return false;
    results_.add(job.name, stored["outputs"]);
    return true;
  }

  pid_t start_command(const Running& running) const {
    const Job& job = *running.job;
    return start_child(this_program(), job.commands[running.outputs.size()], file(job, ".out"), file(job, ".log"));
  }

  // Takes what a command printed. A complaint if it has failed; the job is over then.
  std::optional<std::string> take(Running& running, const EndedChild& ended) const {
    const Job& job = *running.job;
    Json output = Json::parse(read_file(file(job, ".out")), nullptr, false);
    if (ended.status == 0 && output.is_object()) {
      running.outputs.push_back(std::move(output));
      return std::nullopt;
    }
    std::string complaint = read_file(file(job, ".log"));
    complaint.resize(std::min(complaint.size(), complaint.find('\n')));
    return fmt::format("{}: {}", job.name, complaint.empty() ? fmt::format("status {}", ended.status) : complaint);
  }

  void finish(Running& running) {
    const Job& job = *running.job;
    const double seconds = std::chrono::duration<double>(Clock::now() - running.started).count();
    write_file(file(job, ".json"),
               Json({{"commands", job.commands}, {"outputs", running.outputs}, {"seconds", seconds}}).dump(1) + "\n");
    std::filesystem::remove(file(job, ".out"));
    std::filesystem::remove(file(job, ".log"));
    results_.add(job.name, std::move(running.outputs));
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
    line += plain ? " " + word : " '" + word + "'";
  }
  return line;
}

const Json& JobResults::of(const std::string& job, std::size_t command) const {
  static const Json kNone;
  const auto found = outputs_.find(job);
  return found == outputs_.end() || command >= found->second.size() ? kNone : found->second[command];
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
  std::map<pid_t, Running> running;
  bool stopped = false;
  std::size_t next = 0;
  while (next < waiting.size() || !running.empty()) {
    stopped = stopped || stop();
    while (!stopped && next < waiting.size() && running.size() < (waiting[next]->alone ? 1 : at_a_time)) {
      Running started = {waiting[next++], Json::array(), Clock::now()};
      running.emplace(runner.start_command(started), started);
    }
    if (running.empty()) break;
    const EndedChild ended = wait_for_any_child();
    Running job = std::move(running.at(ended.process));
    running.erase(ended.process);
    const auto complaint = runner.take(job, ended);
    stopped = stopped || stop();
    if (complaint) {
      if (stopped) continue;  // it will go on another time
      report.failures.push_back(*complaint);
    } else if (job.outputs.size() < job.job->commands.size()) {
      if (stopped) continue;
      running.emplace(runner.start_command(job), job);
      continue;
    } else {
      runner.finish(job);
    }
    ++progress.done;
    cost_done += job.job->cost;
    cost_left -= job.job->cost;
    progress.last = job.job->name;
    progress.seconds_left = std::chrono::duration<double>(Clock::now() - began).count() / cost_done * cost_left;
    tell(progress);
  }
  report.finished = !stopped;
  return report;
}

}  // namespace linn
