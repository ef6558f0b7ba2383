// The operations that a step cannot avoid: the floor against which its speed is measured.
#pragma once

#include "linn/nn/logic_network.h"
#include "linn/plan/plan.h"

namespace linn {

// Multiply-adds in the matrix products of one forward pass over distinct nodes and laws with all possible sharing: a
// vector is projected once for each slot in which it is used, and NOT(w) is computed once for all its users. Laws take
// their operands in the order of the table, which needs the fewest projections; sampled laws count by their share.
// Element-wise work is left out.
double multiply_adds(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers);

// Floating-point operations of a training step: two for a multiply-add, and backward takes twice what forward takes.
double training_operations(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers);

}  // namespace linn
