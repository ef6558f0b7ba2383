#include "linn/nn/network_run.h"

namespace linn {

std::span<const float> NetworkRun::forward(const Plan& plan, const float* table, const ForwardOptions& options) {
  memory_.bind(plan, options.regularizers);
  forward_pass(memory_, table, options.dropout);
  return memory_.scores.span();
}

void NetworkRun::backward(std::span<const float> d_scores, Random* random, Modules modules) {
  backward_pass(memory_, d_scores, random, modules);
}

std::span<const float> NetworkRun::variable_gradients() const {
  const std::size_t d = memory_.network.width();
  return memory_.d_vectors.span().subspan(Plan::kFirstVariable * d, memory_.plan->variables.size() * d);
}

RegularizerValues NetworkRun::regularizer_values() const {
  RegularizerValues values;
  for (const Lane& lane : memory_.lanes) {
    for (std::size_t i = 0; i < kLaws; ++i) values.laws[i] += lane.laws[i];
    values.length += lane.length;
  }
  return values;
}

std::span<const float> NetworkRun::vector(std::uint32_t node) const {
  const std::size_t d = memory_.network.width();
  return memory_.vectors.span().subspan(node * d, d);
}

}  // namespace linn
