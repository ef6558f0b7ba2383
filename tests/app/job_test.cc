#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

#include "app/process/command_line.h"
#include "app/process/job_runner.h"
#include "linn/base/file.h"
#include "support/temp_folder.h"

namespace linn::app {
namespace {

TEST(CommandLines, CanBePasted) {
  EXPECT_EQ(command_line({"train", "--set", "d=64", "a b"}), "linn train --set d=64 'a b'");
  EXPECT_EQ(command_line({"it's"}), "linn 'it'\\''s'");
}

// Jobs that are shell scripts. Scripts log to the file `trace`, so that tests can tell what ran and in which order.
class Jobs : public testing::Test {
 protected:
  Jobs() {
    options_.folder = folder_ / "results";
    std::filesystem::create_directories(options_.folder);
    options_.parallel = 2;
    options_.program = "/bin/sh";
    options_.stop = [this] { return stop_; };
    options_.on_end = [this](const JobEnd& end) { ends_.push_back(end.job.name); };
  }

  std::vector<std::string> script(const std::string& text) const {
    return {"-c", "cd '" + folder_.path().string() + "'; " + text};
  }
  // A command that logs its name and prints a number.
  std::vector<std::string> prints(const std::string& name, int value) const {
    return script("echo " + name + " >> trace; echo '{\"value\": " + std::to_string(value) + "}'");
  }
  JobsReport run(const std::vector<Job>& jobs) { return run_jobs(jobs, options_, results_); }
  std::string trace() const {
    return std::filesystem::exists(folder_ / "trace") ? read_file(folder_ / "trace") : std::string();
  }
  int value(const std::string& job, std::size_t command = 0) const {
    return results_.of(job, command).at("value").get<int>();
  }

  TempFolder folder_;
  JobRunnerOptions options_;
  JobResults results_;
  bool stop_ = false;
  std::vector<std::string> ends_;
};

TEST_F(Jobs, RunTheirCommandsInOrderAndKeepTheOutput) {
  const std::vector<Job> jobs = {{"one", {prints("a", 1), prints("b", 2)}}, {"two", {prints("c", 3)}}};
  const JobsReport report = run(jobs);
  EXPECT_TRUE(report.finished);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(value("one", 0), 1);
  EXPECT_EQ(value("one", 1), 2);
  EXPECT_EQ(value("two"), 3);
  EXPECT_TRUE(results_.complete(jobs[0]));
  EXPECT_TRUE(results_.of("one", 2).is_null());
  EXPECT_TRUE(results_.of("three").is_null());
  EXPECT_EQ(results_.programs(), std::set<std::string>{program_name()});
  EXPECT_EQ(ends_.size(), 2U);
  EXPECT_LT(trace().find('a'), trace().find('b'));
  EXPECT_FALSE(std::filesystem::exists(options_.folder / "one.log"));
}

TEST_F(Jobs, RunSideBySide) {
  // Each waits for the other.
  const std::string wait = "; while ! [ -e other ]; do sleep 0.01; done; echo '{}'";
  std::string first = "touch one" + wait;
  std::string second = "touch other; while ! [ -e one ]; do sleep 0.01; done; echo '{}'";
  const JobsReport report = run({{"one", {script(first)}}, {"two", {script(second)}}});
  EXPECT_TRUE(report.finished && report.failures.empty());
}

TEST_F(Jobs, ThatRunAloneRunLastAndOneAtATime) {
  options_.parallel = 3;
  const auto guarded = [&](const std::string& name) {
    return script("mkdir busy || exit 1; sleep 0.05; echo " + name + " >> trace; rmdir busy; echo '{}'");
  };
  const auto free = [&](const std::string& name) {
    return script("[ -e busy ] && exit 1; sleep 0.05; [ -e busy ] && exit 1; echo " + name + " >> trace; echo '{}'");
  };
  std::vector<Job> jobs = {
      {"one", {guarded("x")}}, {"two", {free("a")}}, {"three", {guarded("y")}}, {"four", {free("b")}}};
  jobs[0].alone = jobs[2].alone = true;
  const JobsReport report = run(jobs);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_EQ(trace().size(), 8U);
  EXPECT_TRUE(trace().ends_with("x\ny\n")) << trace();
}

TEST_F(Jobs, ThatFailDoNotStopTheOthers) {
  options_.parallel = 1;
  const JobsReport report = run({{"bad", {script("echo 'linn: out of luck' >&2; exit 3"), prints("never", 0)}},
                                 {"mute", {script("exit 4")}},
                                 {"text", {script("echo no JSON")}},
                                 {"killed", {script("kill -9 $$")}},
                                 {"cut", {script("echo '{\"interrupted\": true}'; exit 1")}},
                                 {"good", {prints("a", 1)}}});
  EXPECT_TRUE(report.finished);
  ASSERT_EQ(report.failures.size(), 5U);
  EXPECT_EQ(report.failures[0].job, "bad");
  EXPECT_EQ(report.failures[0].message, "out of luck");
  EXPECT_EQ(report.failures[0].status, 3);
  EXPECT_FALSE(report.failures[0].interrupted);
  EXPECT_EQ(report.failures[1].message, "it ended with status 4 and no message");
  EXPECT_EQ(report.failures[2].job, "text");
  EXPECT_EQ(report.failures[3].status, 128 + SIGKILL);
  EXPECT_TRUE(report.failures[3].interrupted);
  EXPECT_TRUE(report.failures[4].interrupted);
  EXPECT_EQ(trace(), "a\n");
  EXPECT_EQ(value("good"), 1);
  EXPECT_EQ(ends_.size(), 6U);
}

TEST_F(Jobs, FailIfTheProgramCannotBeStarted) {
  options_.program = folder_ / "nothing";
  const JobsReport report = run({{"one", {{}}}, {"two", {{}}}});
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.failures.size(), 2U);
}

TEST_F(Jobs, ResumeBehindTheLastFinishedCommand) {
  const std::vector<Job> jobs = {{"one", {prints("a", 1), script("[ -e ready ] && echo '{\"value\": 2}'")}}};
  EXPECT_EQ(run(jobs).failures.size(), 1U);
  std::ofstream(folder_ / "ready").close();
  results_ = {};
  EXPECT_TRUE(run(jobs).failures.empty());
  EXPECT_EQ(trace(), "a\n");
  EXPECT_EQ(value("one", 1), 2);
  // Nothing is left to do.
  results_ = {};
  ends_.clear();
  EXPECT_TRUE(run(jobs).finished);
  EXPECT_TRUE(ends_.empty());
  EXPECT_EQ(value("one", 1), 2);
}

TEST_F(Jobs, LeaveNothingOfAKilledRunner) {
  const std::vector<Job> jobs = {{"one", {prints("a", 1)}}};
  EXPECT_TRUE(run(jobs).failures.empty());
  const std::vector<std::string> left = {"one.out", "one.log", ".linn-99999-0.tmp"};
  for (const std::string& name : left) std::ofstream(options_.folder / name) << "half";
  results_ = {};
  EXPECT_TRUE(run(jobs).finished);
  EXPECT_EQ(value("one"), 1);
  for (const std::string& name : left) EXPECT_FALSE(std::filesystem::exists(options_.folder / name)) << name;
}

TEST_F(Jobs, RunAgainWithoutAStoredOutput) {
  const std::vector<Job> jobs = {{"one", {prints("a", 1)}}};
  EXPECT_TRUE(run(jobs).failures.empty());
  for (const std::string output : {"{}", "[]", "7", "null"}) {
    std::ofstream(options_.folder / "one.json")
        << R"([{"words": )" << Json(jobs[0].commands[0]) << R"(, "program": "p", "output": )" << output << "}]";
    results_ = {};
    EXPECT_TRUE(run(jobs).failures.empty());
    EXPECT_EQ(value("one"), 1) << output;
  }
}

TEST_F(Jobs, RunAgainFromTheFirstCommandThatDiffers) {
  run({{"one", {prints("a", 1), prints("b", 2), prints("c", 3)}}});
  results_ = {};
  run({{"one", {prints("a", 1), prints("B", 5), prints("c", 3)}}});
  EXPECT_EQ(trace(), "a\nb\nc\nB\nc\n");
  EXPECT_EQ(value("one", 1), 5);
}

TEST_F(Jobs, MayMatchByName) {
  Job job = {"one", {prints("a", 1)}};
  job.match_by_name = true;
  run({job});
  results_ = {};
  job.commands = {prints("b", 2)};
  run({job});
  EXPECT_EQ(value("one"), 1);
  // Bare output, as version 0.1.0 stored it.
  write_file(options_.folder / "one.json", "{\"value\": 7}\n");
  results_ = {};
  run({job});
  EXPECT_EQ(value("one"), 7);
  EXPECT_EQ(trace(), "a\n");
  job.match_by_name = false;
  results_ = {};
  run({job});
  EXPECT_EQ(value("one"), 2);
}

TEST_F(Jobs, ReadResultsThatDoNotNameTheirProgram) {
  const std::vector<Job> jobs = {{"one", {prints("a", 1)}}};
  write_file(options_.folder / "one.json",
             Json::array({{{"words", jobs[0].commands[0]}, {"output", {{"value", 5}}}}}).dump());
  EXPECT_TRUE(run(jobs).finished);
  EXPECT_EQ(value("one"), 5);
  EXPECT_TRUE(results_.programs().empty());
}

TEST_F(Jobs, AreTerminatedWhenStopped) {
  // The short job ends; then the long one is cut off, and the others are not started.
  options_.on_end = [this](const JobEnd&) { stop_ = true; };
  const auto sleeps = script("exec sleep 1000");
  const std::vector<Job> jobs = {
      {"long", {sleeps}}, {"short", {prints("a", 1)}}, {"late", {sleeps}}, {"last", {prints("never", 0)}}};
  const JobsReport report = run(jobs);
  EXPECT_FALSE(report.finished);
  EXPECT_TRUE(report.failures.empty());
  EXPECT_TRUE(results_.complete(jobs[1]));
  EXPECT_FALSE(results_.complete(jobs[0]));
  EXPECT_EQ(trace(), "a\n");
}

TEST_F(Jobs, ThatWereStoppedResume) {
  stop_ = true;
  const std::vector<Job> jobs = {{"one", {prints("a", 1)}}};
  EXPECT_FALSE(run(jobs).finished);
  EXPECT_EQ(trace(), "");
  stop_ = false;
  EXPECT_TRUE(run(jobs).finished);
  EXPECT_EQ(value("one"), 1);
}

TEST_F(Jobs, AreTerminatedByAnExceptionOfTheCaller) {
  options_.on_end = [](const JobEnd&) { throw std::runtime_error("enough"); };
  const auto sleeps = script("echo $$ > pid; exec sleep 1000");
  EXPECT_THROW(run({{"long", {sleeps}}, {"short", {script("while ! [ -s pid ]; do sleep 0.01; done; echo '{}'")}}}),
               std::runtime_error);
  EXPECT_EQ(kill(static_cast<pid_t>(std::stol(read_file(folder_ / "pid"))), 0), -1);
}

TEST_F(Jobs, SayWhyTheyFailed) {
  const std::vector<Job> jobs = {
      {"mute", {script("exit 1")}},
      {"nothing", {script("exit 0")}},
      {"diverged", {script("echo '{\"diverged\": true}'; echo 'linn: too fast' >&2; exit 1")}}};
  const JobsReport report = run(jobs);
  ASSERT_EQ(report.failures.size(), 3U);
  for (const JobFailure& failure : report.failures) {
    EXPECT_EQ(failure.diverged, failure.job == "diverged");
    EXPECT_EQ(failure.message,
              failure.job == "diverged"
                  ? "too fast"
                  : "it ended with status " + std::string(failure.job == "mute" ? "1" : "0") + " and no message");
  }
}

TEST_F(Jobs, CommandsEndWithTheProcessThatStartedThem) {
  const pid_t parent = fork();
  if (parent == 0) {
    JobResults none;
    run_jobs({{"long", {script("echo $$ > pid.new; mv pid.new pid; exec sleep 100")}}}, options_, none);
    _exit(0);
  }
  while (!std::filesystem::exists(folder_ / "pid")) usleep(1000);
  const pid_t child = std::stoi(read_file(folder_ / "pid"));
  // The folder is taken as long as the command runs.
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  EXPECT_TRUE(run({{"next", {prints("a", 1)}}}).finished);
  const auto is_gone = [&] {
    const std::string status = "/proc/" + std::to_string(child) + "/stat";
    return !std::filesystem::exists(status) || read_file(status).find(") Z") != std::string::npos;
  };
  EXPECT_TRUE(is_gone());
}

}  // namespace
}  // namespace linn::app
