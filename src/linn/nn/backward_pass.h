// From the gradients of the roots, the laws and the lengths to those of parameters and variables.
#pragma once

#include <cstdint>
#include <span>

#include "linn/base/random.h"
#include "linn/nn/step_memory.h"

namespace linn {

// Whether the gradients of the modules are wanted, or those of the variables alone: a third of the products is spared.
enum class Modules : std::uint8_t { kLearn, kFixed };

// Needs the forward pass. `d_scores` are the gradients of the roots' scores. Adds to the gradients of the network's
// parameters, unless these are fixed, and leaves those of the variables in d_vectors, from node Plan::kFirstVariable
// on. The values of laws and lengths stay in the lanes. `random` chooses among laws and orders of operands.
void backward_pass(StepMemory& memory, std::span<const float> d_scores, Random* random,
                   Modules modules = Modules::kLearn);

}  // namespace linn
