#include "linn/plan/plan_builder.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>

namespace linn {
namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h = (h ^ word) * 0xBF58476D1CE4E5B9U;
  return h ^ (h >> 29U);
}

// A clause without literals decides its expression. The other clauses are dropped, so that every node of a plan occurs
// in some expression.
bool has_empty_clause(const ExpressionBatch& batch, std::size_t expression) {
  const auto first = batch.clause_starts.begin() + batch.expression_starts[expression];
  const auto last = batch.clause_starts.begin() + batch.expression_starts[expression + 1] + 1;
  return std::adjacent_find(first, last) != last;
}

}  // namespace

void PlanBuilder::build(const ExpressionBatch& batch, Random* random, Plan& plan) {
  if (++stamp_ == 0) {  // wrapped around: no old entry may look current
    seen_.clear();
    gate_table_.clear();
    clause_table_.clear();
    stamp_ = 1;
  }
  made_.clear();
  plan.parts = 1;
  plan.holders.clear();
  // Every gate joins two operands, so there are fewer gates than literals.
  const std::size_t table_size = std::bit_ceil(std::max<std::size_t>(64, batch.literals.size() * 2));
  if (gate_table_.size() < table_size) gate_table_.assign(table_size, {});
  if (clause_table_.size() < table_size) clause_table_.assign(table_size, {});

  find_variables(batch, plan);
  first_gate_ = plan.first_gate();
  plan.roots.clear();
  for (std::size_t i = 0; i < batch.clause_expressions(); ++i) {
    const bool dnf = batch.forms[i] == Form::kDnf;
    const Gate inner = dnf ? Gate::kAnd : Gate::kOr;
    const Gate outer = dnf ? Gate::kOr : Gate::kAnd;
    const bool empty_clause = has_empty_clause(batch, i);
    if (empty_clause || batch.expression_starts[i] == batch.expression_starts[i + 1]) {
      plan.roots.push_back(empty_clause == dnf ? Plan::kTrue : Plan::kFalse);
      continue;
    }

    clauses_.clear();
    for (std::uint32_t j = batch.expression_starts[i]; j < batch.expression_starts[i + 1]; ++j) {
      clauses_.push_back(clause_node(batch.clause(j), inner, random, plan));
    }
    operands_.assign(clauses_.begin(), clauses_.end());
    plan.roots.push_back(chain(outer, random));
  }
  make_chains(batch, plan);
  order_gates(plan);
  count_occurrences(plan);
  find_uses(plan);
}

// Numbers the variables of the batch: those that occur only negated, then both ways, then only plain. Every literal of
// a chain counts as a variable of its own, so that dropout differs from event to event.
void PlanBuilder::find_variables(const ExpressionBatch& batch, Plan& plan) {
  plan.variables.clear();
  for (std::size_t i = 0; i < batch.clause_expressions(); ++i) {
    if (has_empty_clause(batch, i)) continue;
    const std::uint32_t begin = batch.clause_starts[batch.expression_starts[i]];
    const std::uint32_t end = batch.clause_starts[batch.expression_starts[i + 1]];
    for (const Literal l : std::span(batch.literals).subspan(begin, end - begin)) {
      if (l.variable() >= seen_.size()) seen_.resize(std::max<std::size_t>(l.variable() + 1, seen_.size() * 2));
      Seen& seen = seen_[l.variable()];
      if (seen.stamp != stamp_) {
        seen = {stamp_, 0, 0};
        plan.variables.push_back(l.variable());
      }
      seen.uses |= l.negated() ? 2U : 1U;
    }
  }

  operands_.assign(plan.variables.begin(), plan.variables.end());
  plan.variables.clear();
  const auto take = [&](std::uint32_t uses) {
    for (const VariableId v : operands_) {
      if (seen_[v].uses == uses) plan.variables.push_back(v);
    }
    return static_cast<std::uint32_t>(plan.variables.size());
  };
  const auto take_chained = [&](bool negated) {
    const auto place = static_cast<std::uint32_t>(plan.variables.size());
    for (const Literal l : batch.chain_literals) {
      if (l.negated() == negated) plan.variables.push_back(l.variable());
    }
    return place;
  };
  const std::uint32_t own_negated_only = take(2);
  first_chained_negation_ = take_chained(true);
  plan.negated_only = static_cast<std::uint32_t>(plan.variables.size());
  plan.negated = take(3);
  const std::uint32_t own_end = take(1);
  first_chained_ = take_chained(false);
  for (std::uint32_t i = 0; i < own_end; ++i) {
    if (i >= own_negated_only && i < plan.negated_only) continue;  // of chains
    seen_[plan.variables[i]].place = i;
  }
}

// OR folded from the left, beginning with F. Literals of chains are nodes of their own, so nothing is looked up.
void PlanBuilder::make_chains(const ExpressionBatch& batch, Plan& plan) {
  std::uint32_t negation = plan.first_negation() + first_chained_negation_;
  std::uint32_t variable = Plan::kFirstVariable + first_chained_;
  for (std::size_t c = 0; c < batch.chains(); ++c) {
    std::uint32_t prefix = batch.prefix_starts[c];
    const std::uint32_t prefix_end = batch.prefix_starts[c + 1];
    const std::uint32_t length = batch.chain_starts[c + 1] - batch.chain_starts[c];
    std::uint32_t node = Plan::kFalse;
    for (std::uint32_t k = 0;; ++k) {
      for (; prefix < prefix_end && batch.prefixes[prefix] == k; ++prefix) plan.roots.push_back(node);
      if (k == length) break;
      const bool negated = batch.chain_literals[batch.chain_starts[c] + k].negated();
      made_.push_back({node, negated ? negation++ : variable++, k + 1, Gate::kOr});
      node = first_gate_ + static_cast<std::uint32_t>(made_.size()) - 1;
    }
  }
}

std::uint32_t PlanBuilder::node_of(Literal literal, const Plan& plan) const {
  const std::uint32_t place = seen_[literal.variable()].place;
  return (literal.negated() ? plan.first_negation() : Plan::kFirstVariable) + place;
}

std::uint32_t PlanBuilder::clause_node(std::span<const Literal> clause, Gate gate, Random* random, const Plan& plan) {
  if (clause.size() == 1) return node_of(clause[0], plan);

  std::uint64_t h = static_cast<std::uint64_t>(gate);
  for (const Literal l : clause) h = mix(h, l.code);
  const std::size_t mask = clause_table_.size() - 1;
  std::size_t slot = h & mask;
  for (; clause_table_[slot].stamp == stamp_; slot = (slot + 1) & mask) {
    const ClauseEntry& entry = clause_table_[slot];
    if (entry.gate == gate && std::ranges::equal(std::span(entry.first, entry.size), clause)) return entry.node;
  }

  operands_.clear();
  for (const Literal l : clause) operands_.push_back(node_of(l, plan));
  const std::uint32_t node = chain(gate, random);
  clause_table_[slot] = {stamp_, node, gate, clause.data(), clause.size()};
  return node;
}

// Joins operands_ into one node.
std::uint32_t PlanBuilder::chain(Gate gate, Random* random) {
  if (random == nullptr) {
    std::uint32_t node = operands_[0];
    for (std::size_t i = 1; i < operands_.size(); ++i) node = gate_node(gate, node, operands_[i]);
    return node;
  }
  // Joins two random operands, in the order drawn, until one is left.
  while (operands_.size() > 1) {
    const auto draw = [&] {
      std::swap(operands_[random->below(operands_.size())], operands_.back());
      const std::uint32_t drawn = operands_.back();
      operands_.pop_back();
      return drawn;
    };
    const std::uint32_t left = draw();
    const std::uint32_t right = draw();
    operands_.push_back(gate_node(gate, left, right));
  }
  return operands_[0];
}

std::uint32_t PlanBuilder::gate_node(Gate gate, std::uint32_t left, std::uint32_t right) {
  const std::uint64_t h = mix(mix(static_cast<std::uint64_t>(gate), left), right);
  const std::size_t mask = gate_table_.size() - 1;
  std::size_t slot = h & mask;
  for (; gate_table_[slot].stamp == stamp_; slot = (slot + 1) & mask) {
    const Made& known = made_[gate_table_[slot].place];
    if (known.gate == gate && known.left == left && known.right == right) {
      return first_gate_ + gate_table_[slot].place;
    }
  }
  const auto level_of = [&](std::uint32_t node) { return node < first_gate_ ? 0 : made_[node - first_gate_].level; };
  const auto place = static_cast<std::uint32_t>(made_.size());
  gate_table_[slot] = {stamp_, place};
  made_.push_back({left, right, std::max(level_of(left), level_of(right)) + 1, gate});
  return first_gate_ + place;
}

// Sorts the gates by level, ANDs before ORs, and renumbers them.
void PlanBuilder::order_gates(Plan& plan) {
  std::uint32_t levels = 0;
  for (const Made& gate : made_) levels = std::max(levels, gate.level);
  const auto bucket = [](const Made& gate) { return 2 * (gate.level - 1) + (gate.gate == Gate::kOr ? 1U : 0U); };

  bucket_starts_.assign(2 * levels + 1, 0);
  for (const Made& gate : made_) ++bucket_starts_[bucket(gate) + 1];
  std::partial_sum(bucket_starts_.begin(), bucket_starts_.end(), bucket_starts_.begin());

  plan.levels.clear();
  for (std::uint32_t b = 0; b < 2 * levels; ++b) {
    if (bucket_starts_[b] == bucket_starts_[b + 1]) continue;
    plan.levels.push_back(
        {b % 2 == 0 ? Gate::kAnd : Gate::kOr, first_gate_ + bucket_starts_[b], first_gate_ + bucket_starts_[b + 1]});
  }

  new_number_.resize(made_.size());
  for (std::size_t i = 0; i < made_.size(); ++i) new_number_[i] = first_gate_ + bucket_starts_[bucket(made_[i])]++;
  const auto renumbered = [&](std::uint32_t node) {
    return node < first_gate_ ? node : new_number_[node - first_gate_];
  };

  plan.left.resize(made_.size());
  plan.right.resize(made_.size());
  for (std::size_t i = 0; i < made_.size(); ++i) {
    plan.left[new_number_[i] - first_gate_] = renumbered(made_[i].left);
    plan.right[new_number_[i] - first_gate_] = renumbered(made_[i].right);
  }
  for (std::uint32_t& root : plan.roots) root = renumbered(root);
}

void PlanBuilder::count_occurrences(Plan& plan) const {
  plan.occurrences.assign(plan.size(), 0);
  for (const std::uint32_t root : plan.roots) ++plan.occurrences[root];
  for (std::uint32_t node = plan.size(); node-- > plan.first_gate();) {
    plan.occurrences[plan.left[node - plan.first_gate()]] += plan.occurrences[node];
    plan.occurrences[plan.right[node - plan.first_gate()]] += plan.occurrences[node];
  }
  if (options_.negation_hides_variable) return;
  for (std::uint32_t i = 0; i < plan.negated; ++i) {
    plan.occurrences[Plan::kFirstVariable + i] += plan.occurrences[plan.first_negation() + i];
  }
}

void PlanBuilder::find_uses(Plan& plan) const {
  // Counting sort by (node, slot); gates come in ascending order within each.
  plan.use_starts.assign(kSlots * plan.size() + 2, 0);
  const auto each_use = [&](auto&& use) {
    for (const Plan::Level& level : plan.levels) {
      for (std::uint32_t node = level.begin; node < level.end; ++node) {
        const std::uint32_t gate = node - plan.first_gate();
        use(kSlots * plan.left[gate] + static_cast<std::size_t>(slot_of(level.gate, false)), node);
        use(kSlots * plan.right[gate] + static_cast<std::size_t>(slot_of(level.gate, true)), node);
      }
    }
  };
  // Counts are stored one place further, so that filling moves every start to its place.
  each_use([&](std::size_t at, std::uint32_t) { ++plan.use_starts[at + 2]; });
  std::partial_sum(plan.use_starts.begin(), plan.use_starts.end(), plan.use_starts.begin());
  plan.users.resize(2 * plan.left.size());
  each_use([&](std::size_t at, std::uint32_t node) { plan.users[plan.use_starts[at + 1]++] = node; });
  plan.use_starts.pop_back();
}

}  // namespace linn
