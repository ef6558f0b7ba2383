// The exact reasoner as a model that can be asked and saved like any other.
#pragma once

#include <memory>

#include "linn/data/equations.h"
#include "linn/equations/equation_model.h"
#include "linn/equations/gibbs.h"

namespace linn {

// Samples assignments given the equations; the model answers by their shares. Throws InputError as gibbs_reason does.
std::unique_ptr<EquationModel> fit_exact(ExpressionPool& pool, const EquationList& equations, GibbsOptions options);

}  // namespace linn
