// A trained run for equations: its model, and the equations it is evaluated on.
#pragma once

#include <memory>
#include <string>

#include "app/evaluate/data_selection.h"
#include "app/evaluate/trained_run.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_model.h"

namespace linn::app {

// Throws InputError if the folder has no model for equations.
std::unique_ptr<EquationModel> load_equation_run(const std::string& folder);
std::unique_ptr<EquationModel> load_equation_run(const TrainedRun& run);

struct SelectedEquations {
  ExpressionPool pool;
  EquationList equations;
  std::string path;  // of the data
};

SelectedEquations read_equations(const DataSelection& selection, const RunConfig& config);

}  // namespace linn::app
