// From the gradients of the roots, the laws and the lengths to those of parameters and variables.
#pragma once

#include <span>

#include "linn/base/random.h"
#include "linn/nn/step_memory.h"

namespace linn {

// Needs the forward pass. `d_scores` are the gradients of the roots' scores. Adds to the gradients of the network's
// parameters, and leaves those of the variables in d_vectors, from node Plan::kFirstVariable on. The values of laws and
// lengths stay in the lanes. `random` chooses among laws and orders of operands.
void backward_pass(StepMemory& memory, std::span<const float> d_scores, Random* random);

}  // namespace linn
