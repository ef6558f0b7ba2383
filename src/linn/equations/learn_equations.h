// Training or fitting a model on equations.
#pragma once

#include <memory>
#include <optional>

#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_kind.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/train/training_run.h"

namespace linn {

struct LearnedEquations {
  TrainingReport report;
  std::unique_ptr<EquationModel> model;  // of the best epoch
  EquationMetrics validation, test;      // count is 0 if there are no such equations
};

// Trains or fits a model of the kind, with settings of that kind. Throws InputError, before anything is written, if
// there is nothing to train on or an expression has no normal form of reasonable size.
LearnedEquations learn_equations(const EquationKind& kind, const Settings& settings, const RunConfig& config,
                                 EquationData& data, const RunPlace& place, Context& context);

EquationMetrics evaluate_equations(const EquationModel& model, ExpressionPool& pool, const EquationList& equations,
                                   ThreadPool& threads);

}  // namespace linn
