#include "linn/nn/gradient_memory.h"

#include <algorithm>

namespace linn {

Lane::Lane(const LogicNetwork& network)
    : parameters(network.parameters()),
      projection(network.width() * network.projections()),
      d_constants(2 * network.projections()),
      d_false(network.width()) {}

GradientScratch::GradientScratch(const LogicNetwork& network) {
  reshape(network, kBlockRows);
  for (AlignedArray<float>* vectors : {&output, &product, &not_vector, &d_not}) {
    vectors->reshape(kBlockRows * network.width());
  }
  d_hidden.reshape(hidden.size());
  for (AlignedArray<float>* layer : {&not_hidden, &not_not_hidden}) {
    layer->reshape(kBlockRows * network.negation_hidden());
  }
  for (AlignedArray<float>* projected : {&not_projection, &d_not_projection}) {
    projected->reshape(kBlockRows * network.projections());
  }
  similarity.reshape(network.law_similarity().scratch(kBlockRows));
  scores.reshape(kBlockRows);
  d_scores.reshape(kBlockRows);
}

void LawRows::clear() {
  nodes.clear();
  negations.clear();
  weights.clear();
  sides.clear();
}

void LawRows::add(std::uint32_t node, float weight) {
  nodes.push_back(node);
  weights.push_back(weight);
}

GradientMemory::GradientMemory(const LogicNetwork& pass_network, const ThreadPool& pool)
    : network(pass_network), parameters(pass_network.parameters()) {
  lanes.reserve(lanes_of(pool));
  for (std::size_t i = 0; i < lanes_of(pool); ++i) lanes.emplace_back(network);
  scratch.reserve(pool.threads());
  for (std::size_t i = 0; i < pool.threads(); ++i) scratch.emplace_back(network);
}

void GradientMemory::bind(const ForwardMemory& forward) {
  const Plan& plan = *forward.plan;
  const std::size_t d = network.width();
  const std::size_t gates = plan.left.size();
  d_vectors.reshape(plan.size() * d);
  d_projections.reshape(plan.size() * network.projections());
  d_gate_hidden.reshape(gates * std::max(network.hidden(Gate::kAnd), network.hidden(Gate::kOr)));
  if (network.gate(Gate::kAnd).head->uses_operands() || network.gate(Gate::kOr).head->uses_operands()) {
    d_gate_left.reshape(gates * d);
    d_gate_right.reshape(gates * d);
  }
  const bool laws_project = forward.regularizers != nullptr && forward.regularizers->samples_laws();
  for (GradientScratch& block : scratch) {
    // Any thread may get the block with the most users.
    block.users.reserve(2 * gates);
    block.used.reserve(2 * gates);
    if (!laws_project) continue;
    block.law_projection.reshape(kBlockRows * network.projections());
    block.d_law_projection.reshape(kBlockRows * network.projections());
  }
}

}  // namespace linn
