// linn reproduce: the tables and figures of the paper, and further experiments, as one report.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <set>

#include "app/cli/program.h"
#include "app/cli/stop_signals.h"
#include "app/process/command_line.h"
#include "app/reproduce/experiment.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct Reproduce {
  std::vector<std::string> names;
  std::string data;
  std::string out;
  ReproduceSetup setup;
  std::size_t parallel = 0;
  bool list = false;
};

std::vector<Experiment> chosen(const std::vector<std::string>& names) {
  const std::vector<Experiment> all = experiments();
  if (names.empty()) return all;
  std::vector<std::string> known;
  for (const Experiment& experiment : all) known.emplace_back(experiment.name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      throw InputError(fmt::format("there is no table or figure '{}'{}", name, suggestion(name, known)));
    }
  }
  std::vector<Experiment> some;
  for (const Experiment& experiment : all) {
    if (std::ranges::find(names, experiment.name) != names.end()) some.push_back(experiment);
  }
  return some;
}

std::string time_text(double seconds) {
  const auto minutes = static_cast<std::size_t>(seconds / 60.0);
  if (minutes >= 60) return fmt::format("{} h {} min", minutes / 60, minutes % 60);
  if (minutes >= 1) return fmt::format("{} min", minutes);
  return fmt::format("{:.0f} s", seconds);
}

// The command for these tables and figures; for all of them if there are no names.
std::vector<std::string> command_for(const Reproduce& options, const std::vector<std::string>& names) {
  std::vector<std::string> words = {"reproduce"};
  words.insert(words.end(), names.begin(), names.end());
  words.insert(words.end(), {"--data", options.data, "--seeds", fmt::format("{}", options.setup.seeds)});
  if (options.setup.quick) words.emplace_back("--quick");
  if (options.setup.device != "cpu") words.insert(words.end(), {"--device", options.setup.device});
  words.insert(words.end(), {"--out", options.out});
  return words;
}

Report make_report(const Reproduce& options, const std::vector<Experiment>& some, const JobResults& results,
                   const JobsReport& outcome, std::size_t done, std::size_t total, std::vector<std::string>& problems) {
  const ReproduceSetup& setup = options.setup;
  Report report(
      "Neural logic reasoning, reproduced",
      "The tables and figures of “Neural Logic Reasoning” (CIKM 2020), and further experiments. Each cell shows what "
      "was measured here ± its standard error over seeds (for times, the median) and, below it, the paper's value.");
  report.add_origin(command_for(options, options.names));
  report.add_fact("Seeds",
                  fmt::format("{}{}", setup.seeds, setup.quick ? "; quick: few epochs, so results are worse" : ""));
  const auto programs = results.programs();
  if (!programs.empty() && programs != std::set{program_name()})
    report.add_fact("Measured with", fmt::format("{}", fmt::join(programs, ", ")));
  if (!outcome.finished) report.add_fact("Runs", fmt::format("{} of {} done", done, total));
  for (const JobFailure& failure : outcome.failures) {
    report.add_fact("Failed", fmt::format("{}: {}", failure.job, failure.message));
  }
  const ExperimentResults figures(setup, results);
  for (const Experiment& experiment : some) {
    ReportSection section{std::string(experiment.name), std::string(experiment.title)};
    try {
      experiment.report(figures, section);
    } catch (const std::exception& error) {  // keep the other sections
      problems.push_back(fmt::format("{}: {}", experiment.name, error.what()));
      section.add_text(fmt::format("This section could not be made: {}", error.what()));
    }
    section.add_command(command_line(command_for(options, {std::string(experiment.name)})));
    ExperimentJobs jobs(setup);
    experiment.plan(setup, jobs);
    for (const Job& job : jobs.in_order()) {
      for (const auto& command : job.commands) section.add_command(command_line(command));
    }
    report.add_section(std::move(section));
  }
  return report;
}

void run(const Reproduce& given, Program& program) {
  if (given.list) {
    Json names = Json::array();
    for (const Experiment& experiment : experiments()) {
      if (!program.json) fmt::print("{:<14} {}\n", experiment.name, experiment.title);
      names.push_back({{"name", experiment.name}, {"title", experiment.title}});
    }
    if (program.json) print_json({{"experiments", names}});
    return;
  }
  if (given.data.empty() || given.out.empty()) throw InputError("--data and --out are required");
  Reproduce options = given;
  const std::vector<Experiment> some = chosen(options.names);
  if (const std::string missing = missing_plot_tools(); !missing.empty()) throw Failure(missing);
  if (!std::filesystem::is_directory(options.data)) {
    throw InputError("no such folder; expected a folder with one data folder per data set", Place{options.data, 0, 0});
  }
  open_device(options.setup.device);  // throws before anything is done
  options.setup.data = options.data;
  const ReportPlace place(options.out);
  options.setup.folder = place.folder;
  if (options.parallel == 0) options.parallel = cores();
  if (!program.quiet) {
    for (const std::string_view set : {kEquations1k, kEquations10k, kMovieLens, kElectronics}) {
      if (!options.setup.has(set)) {
        fmt::print(stderr, "linn: {} is not in {}; its cells show only the paper's values\n", set, options.data);
      }
    }
  }

  ExperimentJobs jobs(options.setup);
  for (const Experiment& experiment : some) experiment.plan(options.setup, jobs);
  hear_stop_signals();
  const bool terminal = isatty(STDERR_FILENO) != 0;
  JobResults results;
  JobRunnerOptions runner;
  runner.folder = options.setup.folder / "results";
  runner.parallel = options.parallel;
  runner.stop = asked_to_stop;
  runner.on_end = [&](const JobEnd& end) {
    if (program.quiet) return;
    fmt::print(stderr, "{}{} of {} runs done, about {} left ({}){}", terminal ? "\r\x1b[K" : "", end.ended, end.total,
               time_text(end.seconds_left), end.job.name, terminal ? "" : "\n");
  };
  const std::vector<Job> all = jobs.in_order();
  if (!program.quiet) fmt::print(stderr, "linn: {} runs, {} at a time\n", all.size(), options.parallel);
  const JobsReport outcome = run_jobs(all, runner, results);
  if (!program.quiet && terminal) fmt::print(stderr, "\n");
  const auto done =
      static_cast<std::size_t>(std::ranges::count_if(all, [&](const Job& job) { return results.complete(job); }));

  std::vector<std::string> problems;
  for (const JobFailure& failure : outcome.failures) {
    problems.push_back(fmt::format("{}: {}", failure.job, failure.message));
  }
  const Report report = make_report(options, some, results, outcome, done, all.size(), problems);
  for (const std::string& complaint : report.write(place.page, place.folder / "figures")) problems.push_back(complaint);
  if (!outcome.finished || !problems.empty()) program.status = 1;
  for (const std::string& problem : problems) fmt::print(stderr, "linn: failed: {}\n", problem);
  if (!outcome.finished && !program.quiet)
    fmt::print(stderr, "linn: stopped; run the same command again to continue\n");
  if (program.json) {
    print_json({{"report", place.page.string()},
                {"runs", all.size()},
                {"done", done},
                {"finished", outcome.finished},
                {"failures", problems}});
  } else {
    fmt::print("{}: {} of {} runs done\n", place.page.string(), done, all.size());
  }
}

}  // namespace

void add_reproduce_command(CLI::App& app, Program& program) {
  CLI::App* reproduce = app.add_subcommand("reproduce", "Reproduce the tables and figures of the paper as one report");
  auto options = std::make_shared<Reproduce>();
  reproduce->add_option("names", options->names, "Tables and figures; all of them by default")
      ->type_name("TABLE-OR-FIGURE");
  reproduce->add_option("--data", options->data, "A folder with one data folder per data set")->type_name("DIR");
  add_report_option(*reproduce, options->out);
  add_whole_number(*reproduce, "--seeds", options->setup.seeds, "Runs of each model", 1, 1000);
  reproduce
      ->add_option("--device", options->setup.device,
                   "Where LINN is computed: cpu, cuda or cuda:N; other models are computed on the CPU")
      ->type_name("cpu|cuda|cuda:N")
      ->capture_default_str();
  reproduce->add_flag("--quick", options->setup.quick, "Quick preview: few epochs, fewer weights of the laws");
  add_parallel_option(*reproduce, "Runs", options->parallel);
  reproduce->add_flag("--list", options->list, "List the tables and figures, and do nothing else");
  add_quiet_option(*reproduce, program);
  add_json_option(*reproduce, program);
  reproduce->footer(
      "DIR may contain equations-1k, equations-10k, ml100k-authors and electronics-authors; missing sets are skipped.\n"
      "To continue a reproduction that was stopped, run the same command again.");
  run_if_chosen(*reproduce, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
