// The metrics of a run, for comparisons.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "linn/model/run_folder.h"

namespace linn {

// The lines of the metrics file without the times.
inline std::vector<std::string> metrics_without_time(const std::filesystem::path& run) {
  std::vector<std::string> lines = RunFolder::open(run).metrics();
  for (std::string& line : lines) line = line.substr(0, line.find("\"seconds\""));
  return lines;
}

}  // namespace linn
