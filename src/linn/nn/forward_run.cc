#include "linn/nn/forward_run.h"

#include "linn/nn/forward_pass.h"

namespace linn {

std::span<const float> ForwardRun::forward(const Plan& plan, const float* table) {
  forward_vectors(plan, table);
  score_roots(memory_);
  return memory_.scores.span();
}

void ForwardRun::forward_vectors(const Plan& plan, const float* table) {
  memory_.bind(plan, nullptr);
  forward_pass(memory_, table);
}

}  // namespace linn
