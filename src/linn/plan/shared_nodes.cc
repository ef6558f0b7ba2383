#include "linn/plan/shared_nodes.h"

#include <algorithm>
#include <bit>

namespace linn {

std::uint32_t SharedNodes::number_of(Gate gate, std::uint32_t left, std::uint32_t right) {
  const std::size_t mask = gates_.size() - 1;
  std::uint64_t hash = ((std::uint64_t{left} << 32U) | right) * 2 + static_cast<std::uint64_t>(gate);
  hash *= 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32U;
  for (std::size_t slot = hash & mask;; slot = (slot + 1) & mask) {
    Entry& entry = gates_[slot];
    if (entry.stamp != stamp_) {
      entry = {stamp_, left, right, gate, static_cast<std::uint32_t>(holders_.size())};
      holders_.push_back(0);
      return entry.number;
    }
    if (entry.left == left && entry.right == right && entry.gate == gate) return entry.number;
  }
}

std::uint32_t SharedNodes::number_of_literal(std::uint32_t literal) {
  if (literal >= literals_.size()) literals_.resize(std::max<std::size_t>(literal + 1, 2 * literals_.size()));
  Literal& known = literals_[literal];
  if (known.stamp != stamp_) {
    known = {stamp_, static_cast<std::uint32_t>(holders_.size())};
    holders_.push_back(0);
  }
  return known.number;
}

void SharedNodes::count(std::span<Plan* const> plans) {
  if (++stamp_ == 0) {  // wrapped around: no old entry may look current
    gates_.clear();
    literals_.clear();
    stamp_ = 1;
  }
  std::size_t all_gates = 0;
  for (const Plan* plan : plans) all_gates += plan->left.size();
  const std::size_t table_size = std::bit_ceil(std::max<std::size_t>(64, 2 * all_gates));
  if (gates_.size() < table_size) gates_.assign(table_size, {});
  numbers_.resize(std::max(numbers_.size(), plans.size()));
  holders_.assign(Plan::kFirstVariable, 0);
  for (std::size_t p = 0; p < plans.size(); ++p) {
    const Plan& plan = *plans[p];
    std::vector<std::uint32_t>& numbers = numbers_[p];
    numbers.assign({Plan::kTrue, Plan::kFalse});
    for (const VariableId variable : plan.variables) numbers.push_back(number_of_literal(2 * variable));
    for (std::uint32_t i = 0; i < plan.negated; ++i) numbers.push_back(number_of_literal(2 * plan.variables[i] + 1));
    for (const Plan::Level& level : plan.levels) {
      for (std::uint32_t node = level.begin; node < level.end; ++node) {
        const std::uint32_t gate = node - plan.first_gate();
        numbers.push_back(number_of(level.gate, numbers[plan.left[gate]], numbers[plan.right[gate]]));
      }
    }
    for (std::size_t node = 0; node < numbers.size(); ++node) {
      if (plan.occurrences[node] > 0) ++holders_[numbers[node]];  // else it takes no part in laws or length
    }
  }
  for (std::size_t p = 0; p < plans.size(); ++p) {
    plans[p]->holders.resize(numbers_[p].size());
    std::ranges::transform(numbers_[p], plans[p]->holders.begin(),
                           [&](std::uint32_t number) { return std::max(holders_[number], 1U); });
  }
}

}  // namespace linn
