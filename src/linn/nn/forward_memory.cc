#include "linn/nn/forward_memory.h"

#include <algorithm>

namespace linn {

void ForwardScratch::reshape(const LogicNetwork& network, std::size_t row_count) {
  gathered.reshape(row_count * network.width());
  hidden.reshape(row_count * network.widest_hidden());
  head.reshape(
      std::max({network.gate(Gate::kAnd).head->scratch(row_count), network.gate(Gate::kOr).head->scratch(row_count),
                network.negation().head->scratch(row_count)}));
  rows.reserve(row_count);
}

ForwardMemory::ForwardMemory(const LogicNetwork& pass_network, ThreadPool& pass_pool)
    : network(pass_network), pool(pass_pool), scratch(pass_pool.threads()) {}

void ForwardMemory::bind(const Plan& pass_plan, const RegularizerOptions* pass_regularizers) {
  plan = &pass_plan;
  regularizers = pass_regularizers;
  const std::size_t nodes = pass_plan.size();
  vectors.reshape(nodes * network.width());
  projections.reshape(nodes * network.projections());

  const bool laws_on_all = regularizers != nullptr && regularizers->any_law() && !regularizers->samples_laws();
  std::size_t block_rows = 1;
  const auto add = [&](Segment segment) {
    if (segment.begin == segment.end) return;
    // A variable that occurs only under negations may not count: then no law needs it projected.
    segment.project_all = laws_on_all && regularizers->weight(pass_plan.occurrences[segment.begin]) > 0.0F;
    segments.push_back(segment);
    block_rows = std::max<std::size_t>(block_rows, segment.end - segment.begin);
  };
  segments.clear();
  using Kind = Segment::Kind;
  const std::uint32_t first = Plan::kFirstVariable;
  add({Kind::kVariables, Gate::kAnd, first, first + pass_plan.negated_only, false, true});
  add({Kind::kVariables, Gate::kAnd, first + pass_plan.negated_only, first + pass_plan.negated, false, true});
  add({Kind::kVariables, Gate::kAnd, first + pass_plan.negated, pass_plan.first_negation(), false, false});
  add({Kind::kNegations, Gate::kAnd, pass_plan.first_negation(), pass_plan.first_gate(), false, false});
  for (const Plan::Level& level : pass_plan.levels) {
    add({Kind::kGates, level.gate, level.begin, level.end, false, false});
  }
  for (ForwardScratch& block : scratch) block.reshape(network, std::min(block_rows, kBlockRows));
}

}  // namespace linn
