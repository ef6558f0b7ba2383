// The operations that a step cannot do without: the floor against which its speed is measured.
#pragma once

#include "linn/nn/logic_network.h"
#include "linn/plan/plan.h"

namespace linn {

// Multiply-adds in matrix products of one forward pass over distinct nodes and laws, everything shared that can be: a
// vector is projected once for each slot in which it is used, NOT(w) exists once whoever needs it. Laws take their
// operands in the order of the table, which needs the fewest projections; of sampled laws their share counts. No
// element-wise work.
double multiply_adds(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers);

// Floating-point operations of a training step: two for a multiply-add, and backward takes twice what forward takes.
double training_operations(const Plan& plan, const LogicNetwork& network, const RegularizerOptions* regularizers);

}  // namespace linn
