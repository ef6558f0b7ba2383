// What commands about trained runs share.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "app/cli/program.h"
#include "linn/base/thread_pool.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/learn_equations.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/model/run_config.h"
#include "linn/model/run_folder.h"
#include "linn/recommend/protocol/histories.h"

namespace linn::app {

// The model of a run, which must have come so far.
std::filesystem::path trained_model(const RunFolder& folder);

// Throws InputError if the run was trained for another task.
void require_task(const RunConfig& config, std::string_view task, const RunFolder& folder);

// What every command that asks a run is told.
struct Ask {
  std::string run;
  std::size_t threads = 0;

  std::unique_ptr<EquationModel> load() const;  // throws InputError where the run is about something else
};
void add_run_options(CLI::App& command, Ask& ask, Program& program);

// Equations to ask a run about.
struct AskData : Ask {
  std::string data;  // empty: those that the run was trained on
  Split split = Split::kTest;
  bool split_given = false;

  // A single file that is given for this alone is not split: all of it is asked.
  EquationData read() const;
  std::string data_path() const;
  const EquationList& equations(const EquationData& from) const;
};
void add_data_options(CLI::App& command, AskData& ask);

Json to_json(const EquationMetrics& metrics);
std::string to_text(const EquationMetrics& metrics);

}  // namespace linn::app
