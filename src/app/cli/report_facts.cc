#include "app/cli/report_facts.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <thread>

#include "app/cli/program_name.h"
#include "app/reproduce/job.h"
#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/model/run_folder.h"

namespace linn::app {
namespace {

std::string processor_name() {
  try {
    LineReader reader("/proc/cpuinfo");
    std::string_view line;
    while (reader.next(line)) {
      const std::size_t colon = line.find(": ");
      if (line.starts_with("model name") && colon != std::string_view::npos) return std::string(line.substr(colon + 2));
    }
  } catch (const InputError&) {  // nothing depends on it
  }
  return "an unknown processor";
}

}  // namespace

ReportPlace::ReportPlace(const std::filesystem::path& out) : page(out), folder(out) {
  if (out.extension() == ".html") {
    folder.replace_extension();
  } else {
    page /= "index.html";
  }
  if (RunFolder::exists(folder))
    throw InputError("is a run, and a report needs a folder of its own", Place{folder.string(), 0, 0});
}

CLI::Option* add_report_place_option(CLI::App& command, std::string& out) {
  return command
      .add_option("--out", out,
                  "The report: a page NAME.html with the folder NAME beside it, or a folder with index.html in it")
      ->type_name("REPORT");
}

void add_facts(Report& report, const std::vector<std::string>& command) {
  report.add_fact("Command", command_line(command));
  report.add_fact("Program", program_name());
  report.add_fact("Date", fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr))));
  report.add_fact("Machine", fmt::format("{}, {} cores", processor_name(), std::thread::hardware_concurrency()));
}

}  // namespace linn::app
