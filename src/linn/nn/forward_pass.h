// From variables to the vectors of all nodes of a plan.
#pragma once

#include "linn/base/random.h"
#include "linn/nn/step_memory.h"

namespace linn {

struct DropoutOptions {
  float rate = 0.0F;         // the share of a variable's numbers that are set to zero as it enters the network
  Random* random = nullptr;  // must be given with a rate
};

// `table` holds a row for every variable of the vocabulary. Fills vectors, the projections that are needed, and the
// scores of the roots: how alike each is to T, before the sigmoid.
void forward_pass(StepMemory& memory, const float* table, const DropoutOptions& dropout);

}  // namespace linn
