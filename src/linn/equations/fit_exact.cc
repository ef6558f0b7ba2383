#include "linn/equations/fit_exact.h"

namespace linn {

std::unique_ptr<EquationModel> fit_exact(ExpressionPool& pool, const EquationList& equations, GibbsOptions options) {
  options.keep_assignments = true;
  const GibbsResult result = gibbs_reason(pool, equations, {}, options);
  return std::make_unique<ExactModel>(pool.variables(), result.assignments, result.noise);
}

}  // namespace linn
