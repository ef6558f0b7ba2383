#include "linn/logic/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "linn/base/error.h"

namespace linn {
namespace {

std::uint32_t hash_chain(Op op, std::span<const Expr> operands) {
  std::uint64_t h = 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(op);
  for (const Expr e : operands) {
    h = (h ^ e.index) * 0xBF58476D1CE4E5B9U;
    h ^= h >> 29U;
  }
  return static_cast<std::uint32_t>(h ^ (h >> 32U));
}

}  // namespace

ExpressionPool::ExpressionPool() {
  append(Op::kFalse, 0, 0);
  append(Op::kTrue, 0, 0);
}

Expr ExpressionPool::append(Op op, std::uint32_t first, std::uint32_t count) {
  if (ops_.size() >= kNone) throw InputError(fmt::format("an expression pool holds at most {} nodes", kNone));
  ops_.push_back(op);
  payload_.push_back({first, count});
  negation_of_.push_back(kNone);
  return Expr{static_cast<std::uint32_t>(ops_.size() - 1)};
}

Expr ExpressionPool::variable(VariableId id) {
  assert(id < variables_.size());
  if (id >= node_of_variable_.size()) {
    node_of_variable_.resize(std::max<std::size_t>(id + 1, node_of_variable_.size() * 2), kNone);
  }
  if (node_of_variable_[id] == kNone) {
    const Expr made = append(Op::kVariable, id, 0);
    node_of_variable_[id] = made.index;
  }
  return Expr{node_of_variable_[id]};
}

Expr ExpressionPool::negation(Expr operand) {
  if (negation_of_[operand.index] == kNone) {
    const auto first = static_cast<std::uint32_t>(operands_.size());
    operands_.push_back(operand);
    const Expr made = append(Op::kNot, first, 1);
    negation_of_[operand.index] = made.index;
  }
  return Expr{negation_of_[operand.index]};
}

Expr ExpressionPool::chain(Op op, std::span<const Expr> operands) {
  assert(op >= Op::kAnd);
  if (operands.size() == 1) return operands.front();
  if (operands.empty()) {
    if (op == Op::kAnd) return constant(true);
    if (op == Op::kOr) return constant(false);
    throw InputError("only a conjunction or a disjunction may be empty");
  }

  if (chains_ * 2 >= chain_index_.size()) grow_chain_index();
  const std::size_t mask = chain_index_.size() - 1;
  const std::uint32_t hash = hash_chain(op, operands);
  std::size_t slot = hash & mask;
  for (; chain_index_[slot].node != kNone; slot = (slot + 1) & mask) {
    if (chain_index_[slot].hash != hash) continue;
    const Expr known{chain_index_[slot].node};
    if (ops_[known.index] == op && std::ranges::equal(this->operands(known), operands)) return known;
  }

  const std::size_t first = operands_.size();
  if (first + operands.size() >= kNone) {
    throw InputError(fmt::format("an expression pool holds at most {} operands", kNone));
  }
  // `operands` may be a view into operands_, which the insertion could reallocate.
  const bool own = operands.data() >= operands_.data() && operands.data() < operands_.data() + operands_.size();
  const std::size_t offset = own ? static_cast<std::size_t>(operands.data() - operands_.data()) : 0;
  operands_.resize(first + operands.size());
  const Expr* source = own ? operands_.data() + offset : operands.data();
  std::copy_n(source, operands.size(), operands_.begin() + static_cast<std::ptrdiff_t>(first));

  const Expr made = append(op, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(operands.size()));
  chain_index_[slot] = {made.index, hash};
  ++chains_;
  return made;
}

void ExpressionPool::grow_chain_index() {
  constexpr std::size_t kFirstSlots = 64;
  std::vector<ChainSlot> old(std::max(kFirstSlots, chain_index_.size() * 2));
  std::swap(old, chain_index_);
  const std::size_t mask = chain_index_.size() - 1;
  for (const ChainSlot& entry : old) {
    if (entry.node == kNone) continue;
    std::size_t slot = entry.hash & mask;
    while (chain_index_[slot].node != kNone) slot = (slot + 1) & mask;
    chain_index_[slot] = entry;
  }
}

std::span<const Expr> Walk::post_order(const ExpressionPool& pool, Expr root) {
  if (seen_.size() < pool.size()) seen_.resize(pool.size(), 0);
  if (++walk_ == 0) {  // the counter wrapped around: forget all earlier walks
    std::ranges::fill(seen_, 0);
    walk_ = 1;
  }
  order_.clear();
  stack_.assign(1, root);
  seen_[root.index] = walk_;
  while (!stack_.empty()) {
    const Expr e = stack_.back();
    stack_.pop_back();
    order_.push_back(e);
    for (const Expr child : pool.operands(e)) {
      if (seen_[child.index] == walk_) continue;
      seen_[child.index] = walk_;
      stack_.push_back(child);
    }
  }
  // Children have smaller indices than their parents, so sorting gives a topological order.
  std::ranges::sort(order_);
  return order_;
}

}  // namespace linn
