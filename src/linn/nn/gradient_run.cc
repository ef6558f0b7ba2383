#include "linn/nn/gradient_run.h"

namespace linn {

std::span<const float> GradientRun::forward(const Plan& plan, const float* table, const ForwardOptions& options) {
  forward_vectors(plan, table, options);
  score_roots(forward_);
  return forward_.scores.span();
}

RowSource GradientRun::forward_vectors(const Plan& plan, const float* table, const ForwardOptions& options) {
  forward_.bind(plan, options.regularizers);
  forward_pass(forward_, table, options.dropout);
  return {forward_.vectors.data(), forward_.network.width(), plan.roots.data()};
}

void GradientRun::backward_vectors(const float* d_roots, Random* random, Modules modules) {
  backward_pass_from_vectors(forward_, gradients_, d_roots, random, modules);
}

void GradientRun::backward(std::span<const float> d_scores, Random* random, Modules modules) {
  backward_pass(forward_, gradients_, d_scores, random, modules);
}

std::span<const float> GradientRun::variable_gradients() const {
  const std::size_t d = forward_.network.width();
  return gradients_.d_vectors.span().subspan(Plan::kFirstVariable * d, forward_.plan->variables.size() * d);
}

RegularizerValues GradientRun::regularizer_values() const {
  RegularizerValues values;
  for (const Lane& lane : gradients_.lanes) {
    for (std::size_t i = 0; i < kLaws; ++i) values.laws[i] += lane.laws[i];
    values.length += lane.length;
  }
  return values;
}

}  // namespace linn
