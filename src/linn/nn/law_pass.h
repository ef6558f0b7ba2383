// The ten laws: their values and their gradients.
//
// Nothing but a law uses the vectors that it makes, so a block of rows goes forward and back at once and nothing is
// kept. What is left behind are gradients of the vectors w, of their projections, and of the parameters.
#pragma once

#include "linn/base/random.h"
#include "linn/nn/step_memory.h"

namespace linn {

// Chooses the vectors that the laws are applied to, with their weights, and in which order each law takes its operands:
// one choice for each law and block of rows. Without a random generator all vectors and the order of the table.
void choose_law_rows(StepMemory& memory, Random* random);

// Needs the forward pass. Adds to d_vectors, sets or adds to d_projections, adds to the lanes.
void law_pass(StepMemory& memory);

}  // namespace linn
