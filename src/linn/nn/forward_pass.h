// From variables to the vectors of all nodes of a plan.
#pragma once

#include "linn/base/random.h"
#include "linn/nn/forward_memory.h"

namespace linn {

struct DropoutOptions {
  float rate = 0.0F;         // the share of a variable's numbers set to zero as it enters the network
  Random* random = nullptr;  // required if the rate is above 0
};

// `table` holds one row per variable of the vocabulary. Fills the vectors and the projections that are needed.
void forward_pass(ForwardMemory& memory, const float* table, const DropoutOptions& dropout = {});

// Then fills the scores of the roots: the similarity of each to T, before the sigmoid.
void score_roots(ForwardMemory& memory);

}  // namespace linn
