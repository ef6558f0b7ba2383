#include "linn/equations/equation_kind.h"

namespace linn {

NormalizedEquations::NormalizedEquations(EquationData& data, Form wanted) : names(data.pool.variables()), form(wanted) {
  const auto normalized = [&](const EquationList& equations) {
    return Part{network_forms(form, data.pool, equations.expressions, names), equations.labels};
  };
  train = normalized(data.train);
  validation = normalized(data.validation);
  test = normalized(data.test);
}

}  // namespace linn
