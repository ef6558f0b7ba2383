#include "linn/nn/step_memory.h"

#include <algorithm>

namespace linn {

std::size_t lanes_for(std::size_t rows) {
  constexpr std::size_t kLeastRows = 2 * kKernelRows;  // fewer are not worth a thread's attention
  return std::clamp<std::size_t>(rows / kLeastRows, 1, kLaneCount);
}

RowRange lane_rows(std::size_t rows, std::size_t lane) {
  const std::size_t lanes = lanes_for(rows);
  const std::size_t tiles = (rows + kKernelRows - 1) / kKernelRows;
  const auto bound = [&](std::size_t i) { return std::min(rows, tiles * i / lanes * kKernelRows); };
  return lane < lanes ? RowRange{bound(lane), bound(lane + 1)} : RowRange{rows, rows};
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

StepMemory::StepMemory(LogicNetwork& step_network, ThreadPool& step_pool)
    : network(step_network), pool(step_pool), lanes(kLaneCount), scratch(step_pool.threads()) {
  const std::size_t d = network.width();
  const std::size_t h = std::max(network.hidden(), network.negation_hidden());
  const std::size_t s = network.projections();
  for (Lane& lane : lanes) {
    lane.parameters = AlignedArray<float>(network.parameters().values().size());
    lane.projection = AlignedArray<float>(d * s);
    lane.d_constants = AlignedArray<float>(2 * s);
    lane.d_false = AlignedArray<float>(d);
  }
  const std::size_t head_scratch =
      std::max({network.gate(Gate::kAnd).head->scratch(kBlockRows), network.gate(Gate::kOr).head->scratch(kBlockRows),
                network.negation().head->scratch(kBlockRows)});
  for (BlockScratch& block : scratch) {
    for (AlignedArray<float>* vectors_of_block :
         {&block.gathered, &block.output, &block.product, &block.not_vector, &block.d_not}) {
      *vectors_of_block = AlignedArray<float>(kBlockRows * d);
    }
    for (AlignedArray<float>* hidden_of_block : {&block.hidden, &block.d_hidden}) {
      *hidden_of_block = AlignedArray<float>(kBlockRows * h);
    }
    for (AlignedArray<float>* hidden_of_block : {&block.not_hidden, &block.not_not_hidden}) {
      *hidden_of_block = AlignedArray<float>(kBlockRows * network.negation_hidden());
    }
    block.not_projection = AlignedArray<float>(kBlockRows * s);
    block.d_not_projection = AlignedArray<float>(kBlockRows * s);
    block.head = AlignedArray<float>(head_scratch);
    block.similarity = AlignedArray<float>(network.similarity().scratch(kBlockRows));
    block.scores = AlignedArray<float>(kBlockRows);
    block.d_scores = AlignedArray<float>(kBlockRows);
    block.rows.reserve(kBlockRows);
  }
}

void StepMemory::bind(const Plan& step_plan, const RegularizerOptions* step_regularizers) {
  plan = &step_plan;
  regularizers = step_regularizers;
  const std::size_t d = network.width();
  const std::size_t nodes = step_plan.size();
  const std::size_t gates = step_plan.left.size();
  const std::size_t roots = step_plan.roots.size();
  vectors.reshape(nodes * d);
  d_vectors.reshape(nodes * d);
  projections.reshape(nodes * network.projections());
  d_projections.reshape(nodes * network.projections());
  d_gate_hidden.reshape(gates * network.hidden());
  if (network.gate(Gate::kAnd).head->uses_operands()) {
    d_gate_left.reshape(gates * d);
    d_gate_right.reshape(gates * d);
  }
  // Any thread may get the block with the most users.
  for (BlockScratch& block : scratch) {
    block.users.reserve(2 * gates);
    block.used.reserve(2 * gates);
  }
  scores.reshape(roots);
  root_gradients.reshape(roots * d);
  root_scratch.reshape(network.similarity().scratch(roots));

  const bool laws = regularizers != nullptr && regularizers->any_law();
  laws_project = laws && regularizers->law_share < 1.0F;
  if (laws_project) {
    for (BlockScratch& block : scratch) {
      block.law_projection.reshape(kBlockRows * network.projections());
      block.d_law_projection.reshape(kBlockRows * network.projections());
    }
  }
  const auto add = [&](Segment segment) {
    if (segment.begin == segment.end) return;
    // Vectors that occur only under a negation may not count: then no law needs them projected.
    segment.project_all = laws && !laws_project && regularizers->weight(step_plan.occurrences[segment.begin]) > 0.0F;
    segments.push_back(segment);
  };
  segments.clear();
  using Kind = Segment::Kind;
  const std::uint32_t first = Plan::kFirstVariable;
  add({Kind::kVariables, Gate::kAnd, first, first + step_plan.negated_only, false, true});
  add({Kind::kVariables, Gate::kAnd, first + step_plan.negated_only, first + step_plan.negated, false, true});
  add({Kind::kVariables, Gate::kAnd, first + step_plan.negated, step_plan.first_negation(), false, false});
  add({Kind::kNegations, Gate::kAnd, step_plan.first_negation(), step_plan.first_gate(), false, false});
  for (const Plan::Level& level : step_plan.levels) {
    add({Kind::kGates, level.gate, level.begin, level.end, false, false});
  }
}

}  // namespace linn
