// A report about trained runs: how good they are, how training went, and what they have learned.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "app/report/document.h"
#include "linn/base/thread_pool.h"

namespace linn::app {

// Evaluates the runs one after the other; audits LINN models of equations, and computes the co-occurrence of LINN
// recommenders. A run that cannot be evaluated is listed as left out. Throws InputError for a folder that is not a run,
// and Failure if no run can be evaluated or if `stop`, which is called between evaluations, returns true.
Report report_of_runs(const std::vector<std::filesystem::path>& runs, ThreadPool& threads,
                      const std::function<bool()>& stop);

}  // namespace linn::app
