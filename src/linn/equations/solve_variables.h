// Reading the values of variables off their vectors, as the paper does: two clusters, one of them true.
#pragma once

#include <cstdint>
#include <vector>

#include "linn/embed/k_means.h"
#include "linn/model/logic_model.h"

namespace linn {

// How true each variable is. The vectors are put into two clusters, of which that with the larger mean of Sim(v, T) is
// true; a variable at the distances t and f from the two centres gets f / (t + f).
std::vector<float> solve_by_clusters(const LogicModel& model, ClusterDistance distance, std::uint64_t seed);

}  // namespace linn
