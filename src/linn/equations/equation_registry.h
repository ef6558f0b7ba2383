// The kinds of models for equations that there are.
#pragma once

#include <memory>

#include "linn/equations/equation_kind.h"

namespace linn {

const Registry<EquationKind>& equation_registry();

// Throws InputError where the file holds no model of a kind in the registry.
std::unique_ptr<EquationModel> load_equation_model(const SafetensorsFile& in,
                                                   const Registry<EquationKind>& kinds = equation_registry());

}  // namespace linn
