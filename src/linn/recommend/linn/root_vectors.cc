#include "linn/recommend/linn/root_vectors.h"

#include <algorithm>

#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {

AlignedArray<float> root_vectors(const LogicNetwork& network, const EmbeddingTable& variables,
                                 const ExpressionBatch& batch, ThreadPool& threads) {
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  ForwardRun run(network, threads);
  run.forward_vectors(plan, variables.row(0));
  AlignedArray<float> vectors(plan.roots.size() * network.width());
  for (std::size_t i = 0; i < plan.roots.size(); ++i) {
    std::ranges::copy(run.vector(plan.roots[i]), vectors.data() + i * network.width());
  }
  return vectors;
}

}  // namespace linn
