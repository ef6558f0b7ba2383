// What commands about trained runs share.
#pragma once

#include <string>
#include <string_view>

#include "linn/base/thread_pool.h"
#include "linn/cli/program.h"
#include "linn/data/equations.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/model/run_folder.h"
#include "linn/train/equation_model.h"

namespace linn::cli {

// The configuration of a run. Throws InputError where it is not what linn wrote.
Json read_config(const RunFolder& folder);

// Throws InputError if the run was trained for something else than "equations" or "recommend".
void require_task(const Json& config, std::string_view task, const RunFolder& folder);

EquationMetrics evaluate_model(const EquationModel& model, ExpressionPool& pool, const EquationList& equations,
                               ThreadPool& threads);
Json to_json(const EquationMetrics& metrics);
std::string to_text(const EquationMetrics& metrics);

}  // namespace linn::cli
