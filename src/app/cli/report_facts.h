// What the commands that write reports share.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "app/report/document.h"

namespace linn::app {

// REPORT.html has the folder REPORT beside it for its data; any other name is a folder with index.html in it. Throws
// InputError where that folder is a run.
struct ReportPlace {
  explicit ReportPlace(const std::filesystem::path& out);
  std::filesystem::path page;
  std::filesystem::path folder;
};

CLI::Option* add_report_place_option(CLI::App& command, std::string& out);

// The command, the version, the date and the machine.
void add_facts(Report& report, const std::vector<std::string>& command);

}  // namespace linn::app
