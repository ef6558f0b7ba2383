// From equations and settings to a trained model.
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
  EquationMetrics validation, test;      // without equations: count 0
};

// Trains or fits a model of the kind that the config names, with settings of that kind. Throws InputError before anything
// is written where an expression has no normal form of reasonable size, or there is nothing to train on.
LearnedEquations learn_equations(const EquationKind& kind, const Settings& settings, const RunConfig& config,
                                 EquationData& data, const RunPlace& place, Context& context);

// How well a model answers equations.
EquationMetrics evaluate_equations(const EquationModel& model, ExpressionPool& pool, const EquationList& equations,
                                   ThreadPool& threads);

}  // namespace linn
