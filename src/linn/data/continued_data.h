// Data that grows: what a model was trained on, followed by what came later. Users, items and variables that were there
// before keep their numbers.
#pragma once

#include "linn/data/equations.h"
#include "linn/data/interactions.h"

namespace linn {

// All earlier rows, held-out ones too, become the first training rows: by now they are history.
InteractionData continue_data(InteractionData earlier, const InteractionData& later);

// Equations have no time: each split is extended by the later one. `later` must use the pool of `earlier`, extended
// (see read_equation_data), and brings it along.
EquationData continue_data(EquationData earlier, EquationData later);

}  // namespace linn
