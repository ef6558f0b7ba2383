// linn report: runs that were trained, as one page.
#include <fmt/format.h>

#include <memory>
#include <thread>

#include "app/cli/program.h"
#include "app/cli/report_facts.h"
#include "app/cli/stop_signals.h"
#include "app/reproduce/run_report.h"
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
  std::vector<std::filesystem::path> runs(options.runs.begin(), options.runs.end());
  hear_stop_signals();
  Report report = report_of_runs(runs, std::max(1U, std::thread::hardware_concurrency()), asked_to_stop);
  std::vector<std::string> words = {"report"};
  words.insert(words.end(), options.runs.begin(), options.runs.end());
  words.insert(words.end(), {"--out", options.out});
  add_facts(report, words);
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
  CLI::App* report = app.add_subcommand("report", "What runs have learned, as one HTML page");
  auto options = std::make_shared<RunReport>();
  report->add_option("runs", options->runs, "Run folders")->type_name("RUN")->required();
  add_report_place_option(*report, options->out)->required();
  add_json_option(*report, program);
  report->callback([options, &program] { program.run = [options, &program] { run(*options, program); }; });
}

}  // namespace linn::app
