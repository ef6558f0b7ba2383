// From the gradients of the roots, the laws and the lengths to those of parameters and variables.
#pragma once

#include <cstdint>
#include <span>

#include "linn/base/random.h"
#include "linn/nn/gradient_memory.h"

namespace linn {

// Whether the modules get gradients, or only the variables, which saves a third of the products.
enum class Modules : std::uint8_t { kLearn, kFixed };

// Follows a forward pass in `forward`. `d_scores` are the gradients of the roots' scores. Leaves the gradients of the
// network's parameters in gradients.parameters (zero where the modules are fixed), and those of the variables in
// gradients.d_vectors, from node Plan::kFirstVariable on. The values of laws and lengths stay in the lanes. `random`
// draws the sampled vectors of the laws and the order of their operands.
void backward_pass(ForwardMemory& forward, GradientMemory& gradients, std::span<const float> d_scores, Random* random,
                   Modules modules = Modules::kLearn);

// The same from the gradients of the roots' vectors, one row per root.
void backward_pass_from_vectors(ForwardMemory& forward, GradientMemory& gradients, const float* d_roots, Random* random,
                                Modules modules = Modules::kLearn);

}  // namespace linn
