// A report of runs that somebody has trained: how good they are, how training went, and what they have learned.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "app/report/document.h"

namespace linn::app {

// Asks each run as `linn evaluate`, `audit` and `cooccur` do, several at a time. Throws InputError for a folder that is
// no run, and Failure if none can be asked or `stop`, which is asked some times a second, says yes; what one of several
// runs says instead of an answer stands in the report.
Report report_of_runs(const std::vector<std::filesystem::path>& runs, std::size_t at_a_time,
                      const std::function<bool()>& stop);

}  // namespace linn::app
