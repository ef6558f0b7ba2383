// linn report: trained runs as one page.
#include <fmt/format.h>

#include <memory>

#include "app/cli/program.h"
#include "app/cli/stop_signals.h"
#include "app/report/run_report.h"
#include "linn/base/error.h"

namespace linn::app {
namespace {

struct RunReport {
  std::vector<std::string> runs;
  std::string out;
};

void run(const RunReport& options, const Program& program) {
  if (const std::string missing = missing_plot_tools(); !missing.empty()) throw Failure(missing);
  const ReportPlace place(options.out);
  hear_stop_signals();
  ThreadPool threads(cores());
  Report report = report_of_runs({options.runs.begin(), options.runs.end()}, threads, asked_to_stop);
  std::vector<std::string> words = {"report"};
  words.insert(words.end(), options.runs.begin(), options.runs.end());
  words.insert(words.end(), {"--out", options.out});
  report.add_origin(words);
  const auto complaints = report.write(place.page, place.folder / "figures");
  if (!complaints.empty()) throw Failure(complaints.front());
  if (program.json) {
    print_json({{"report", place.page.string()}, {"runs", options.runs}});
  } else {
    fmt::print("{}\n", place.page.string());
  }
}

}  // namespace

void add_report_command(CLI::App& app, Program& program) {
  CLI::App* report = app.add_subcommand("report", "Write an HTML page about trained runs");
  auto options = std::make_shared<RunReport>();
  report->add_option("runs", options->runs, "Run folders")->type_name("RUN")->required();
  add_report_option(*report, options->out)->required();
  add_json_option(*report, program);
  run_if_chosen(*report, program, [options, &program] { run(*options, program); });
}

}  // namespace linn::app
