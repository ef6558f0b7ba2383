// The ten laws: their values and their gradients.
//
// Nothing but a law uses the vectors it computes, so a block of rows goes forward and back at once, and only gradients
// remain: of the vectors w, of their projections, and of the parameters.
#pragma once

#include "linn/base/random.h"
#include "linn/nn/gradient_memory.h"

namespace linn {

// Chooses the vectors to which the laws are applied, with their weights, and the order in which each law takes its
// operands: one draw for each law and block of rows, of which the number of lanes decides. Without a random generator:
// all vectors, in the order of the table of laws.
void choose_law_rows(const Plan& plan, const RegularizerOptions& options, std::size_t most_lanes, Random* random,
                     LawRows& negated, LawRows& other);

// Follows the forward pass. Adds to d_vectors, sets or adds to d_projections, adds to the lanes.
void law_pass(const ForwardMemory& forward, GradientMemory& gradients);

}  // namespace linn
