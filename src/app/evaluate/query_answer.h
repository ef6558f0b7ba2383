// How true a model considers expressions, and their JSON: what `linn query` prints and the service sends.
#pragma once

#include <optional>
#include <string>

#include "linn/base/json.h"
#include "linn/equations/equation_model.h"

namespace linn::app {

struct ExpressionAnswer {
  float probability = 0.0F;
  std::optional<std::string> normal_form;  // nothing if it is too large to print

  bool value() const { return probability >= 0.5F; }
};

// The expression is in the pool, which grows. Throws InputError where it has no normal form of reasonable size that a
// network needs.
ExpressionAnswer ask(const EquationModel& model, ExpressionPool& pool, Expr expression, ThreadPool& threads);
Json to_json(const ExpressionAnswer& answer);

// The normal form as it is printed; nothing if it is too large.
std::optional<std::string> normal_form_text(ExpressionPool& pool, Expr expression);

// The same for whoever cannot spend much on an expression: throws InputError if the normal form that is printed, or the
// one that the model reads, exceeds the limits.
std::string bounded_normal_form(const EquationModel& model, ExpressionPool& pool, Expr expression,
                                const NormalFormLimits& limits);

}  // namespace linn::app
