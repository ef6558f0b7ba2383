// Propositional expressions.
//
//   ExpressionPool pool;
//   Expr rain = pool.variable("rain"), umbrella = pool.variable("umbrella");
//   Expr wet = pool.conjunction({rain, pool.negation(umbrella)});
//   std::string text = to_string(pool, wet);   // "rain & !umbrella"
//
// A pool owns immutable nodes that are never removed. Equal structures share one node, so two expressions of a pool are
// structurally equal exactly when their handles are equal, and a common subexpression is stored once. Children have
// smaller indices than their parents: the indices are a topological order, and no algorithm here recurses or can
// exhaust the stack.
#pragma once

#include <compare>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "linn/logic/vocabulary.h"

namespace linn {

// A chain such as a & b & c is one node with three operands. `a <-> b <-> c` and `xor` fold from the left,
// `a -> b -> c` from the right. And, Or, Xor, Implies and Iff have at least two operands.
enum class Op : std::uint8_t { kFalse, kTrue, kVariable, kNot, kAnd, kXor, kOr, kImplies, kIff };

// A handle to a node of a pool.
struct Expr {
  std::uint32_t index = 0;
  friend auto operator<=>(const Expr&, const Expr&) = default;
};

class ExpressionPool {
 public:
  ExpressionPool();

  Expr constant(bool value) const { return Expr{value ? 1U : 0U}; }
  Expr variable(std::string_view name) { return variable(variables_.intern(name)); }
  Expr variable(VariableId id);
  Expr negation(Expr operand);

  // A chain of one of the five connectives. A single operand is returned unchanged; no operand gives the neutral
  // element (T for And, F for Or) and is an error for the others. Nothing is simplified.
  Expr chain(Op op, std::span<const Expr> operands);
  Expr conjunction(std::initializer_list<Expr> operands) { return chain(Op::kAnd, operands); }
  Expr disjunction(std::initializer_list<Expr> operands) { return chain(Op::kOr, operands); }
  Expr conjunction(std::span<const Expr> operands) { return chain(Op::kAnd, operands); }
  Expr disjunction(std::span<const Expr> operands) { return chain(Op::kOr, operands); }

  Op op(Expr e) const { return ops_[e.index]; }
  // The operands of a negation or a chain; empty for constants and variables.
  std::span<const Expr> operands(Expr e) const {
    const Payload& payload = payload_[e.index];
    return {operands_.data() + (payload.count == 0 ? 0 : payload.first), payload.count};
  }
  // The variable of a kVariable node.
  VariableId variable_of(Expr e) const { return payload_[e.index].first; }

  std::size_t size() const { return ops_.size(); }
  const Vocabulary& variables() const { return variables_; }
  Vocabulary& variables() { return variables_; }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  Expr append(Op op, std::uint32_t first, std::uint32_t count);
  void grow_chain_index();

  struct Payload {
    std::uint32_t first;  // the variable's id, or the offset of the operands
    std::uint32_t count;  // number of operands
  };
  struct ChainSlot {
    std::uint32_t node = kNone;
    std::uint32_t hash = 0;
  };

  Vocabulary variables_;
  std::vector<Op> ops_;
  std::vector<Payload> payload_;
  std::vector<Expr> operands_;
  std::vector<std::uint32_t> node_of_variable_;
  std::vector<std::uint32_t> negation_of_;  // node -> node of its negation, or kNone
  std::vector<ChainSlot> chain_index_;      // hash table with open addressing over chain nodes, by structure
  std::size_t chains_ = 0;
};

// The distinct nodes reachable from a root, children before parents. Keeps its scratch memory between calls, so walking
// many small expressions of a large pool costs only their own size.
class Walk {
 public:
  std::span<const Expr> post_order(const ExpressionPool& pool, Expr root);

 private:
  std::vector<std::uint32_t> seen_;  // the last walk that visited each node
  std::uint32_t walk_ = 0;
  std::vector<Expr> stack_;
  std::vector<Expr> order_;
};

}  // namespace linn
