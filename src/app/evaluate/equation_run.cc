#include "app/evaluate/equation_run.h"

#include <filesystem>
#include <utility>

#include "linn/equations/equation_registry.h"
#include "linn/train/run_data.h"

namespace linn::app {

std::unique_ptr<EquationModel> load_equation_run(const std::string& folder) {
  return load_equation_run(TrainedRun(folder));
}

std::unique_ptr<EquationModel> load_equation_run(const TrainedRun& run) {
  require_task(run.config, kEquationTask, run.path);
  return load_equation_model(run.read_model());
}

SelectedEquations read_equations(const DataSelection& selection, const RunConfig& config) {
  SelectedEquations selected;
  selected.path = selection.data.empty() ? config.data : selection.data;
  if (!selection.data.empty() && !selection.split && std::filesystem::is_regular_file(selected.path)) {
    selected.equations = read_equation_file(selected.path, selected.pool);
    return selected;
  }
  EquationData data =
      selection.data.empty() ? read_run_equations(config) : read_equation_data(selected.path, config.seed);
  selected.pool = std::move(data.pool);
  switch (selection.split.value_or(Split::kTest)) {
    case Split::kTrain:
      selected.equations = std::move(data.train);
      break;
    case Split::kValidation:
      selected.equations = std::move(data.validation);
      break;
    case Split::kTest:
      selected.equations = std::move(data.test);
      break;
  }
  return selected;
}

}  // namespace linn::app
