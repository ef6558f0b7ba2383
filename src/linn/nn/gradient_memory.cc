#include "linn/nn/gradient_memory.h"

#include <algorithm>

namespace linn {

Lane::Lane(const LogicNetwork& network)
    : parameters(network.parameters()), d_constants(2 * network.projections()), d_false(network.width()) {}

void add_projection_products(const LogicNetwork& network, LaneGradients& gradients, std::size_t rows,
                             const float* vectors, const float* d_projections) {
  const std::size_t p = network.projections();
  for (std::size_t i = 0; i < kSlots; ++i) {
    const Slot slot = static_cast<Slot>(i);
    if (network.hidden(slot) == 0) continue;
    gradients.add_product(network.projection_of(slot), rows, vectors, d_projections + network.slot_offset(slot), p);
  }
  gradients.add_product(network.negation().in, rows, vectors, d_projections + network.negation_offset(), p);
}

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
  const std::span<const ParameterInfo> list = network.parameters().list();
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t begin = 0; begin < list[i].cols; begin += LaneGradients::kMostColumns) {
      parts.push_back({i, begin, std::min(begin + LaneGradients::kMostColumns, list[i].cols)});
    }
  }
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
