// All kinds of models for equations.
#pragma once

#include <memory>

#include "linn/equations/equation_kind.h"

namespace linn {

const Registry<EquationKind>& equation_registry();

// Throws InputError unless the file has a model of a registered kind.
std::unique_ptr<EquationModel> load_equation_model(const SafetensorsFile& in);

}  // namespace linn
