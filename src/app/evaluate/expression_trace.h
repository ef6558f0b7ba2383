// Every node of an expression with its truth, as JSON: for a LINN those of its network; for other models the literals,
// clauses and the whole of the normal form, each as true as the model says of that part.
#pragma once

#include <map>
#include <string>

#include "linn/base/json.h"
#include "linn/equations/equation_model.h"

namespace linn::app {

// Variables that count as T or F, by name. They must be known to the model.
using Assumptions = std::map<std::string, bool>;

struct TracedExpression {
  float probability = 0.0F;  // of the root
  Json nodes;                // a list
  std::size_t root = 0;
};

// Throws InputError like EquationModel::probabilities().
TracedExpression trace(const EquationModel& model, ExpressionPool& pool, Expr expression, const Assumptions& assumed,
                       ThreadPool& threads);

// The probability alone.
float probability(const EquationModel& model, ExpressionPool& pool, Expr expression, const Assumptions& assumed,
                  ThreadPool& threads);

}  // namespace linn::app
