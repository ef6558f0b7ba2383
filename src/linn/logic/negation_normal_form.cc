#include <algorithm>
#include <array>
#include <vector>

#include "linn/logic/normal_form.h"

namespace linn {
namespace {

// The negation normal forms of a node and of its negation.
struct Polarities {
  Expr positive, negative;
  Expr of(bool negated) const { return negated ? negative : positive; }
};

// And or Or, with constants folded.
Expr join(ExpressionPool& pool, Op op, std::vector<Expr>& operands) {
  const Expr neutral = pool.constant(op == Op::kAnd);
  const Expr dominant = pool.constant(op != Op::kAnd);
  if (std::ranges::find(operands, dominant) != operands.end()) return dominant;
  std::erase(operands, neutral);
  return pool.chain(op, operands);
}

Expr join(ExpressionPool& pool, Op op, Expr a, Expr b) {
  std::vector<Expr> operands = {a, b};
  return join(pool, op, operands);
}

// a xor b and its negation, a <-> b.
Polarities exclusive_or(ExpressionPool& pool, Polarities a, Polarities b) {
  const auto mixed = [&](Expr x, Expr y, Expr z, Expr w) {
    return join(pool, Op::kOr, join(pool, Op::kAnd, x, y), join(pool, Op::kAnd, z, w));
  };
  return {mixed(a.positive, b.negative, a.negative, b.positive), mixed(a.positive, b.positive, a.negative, b.negative)};
}

}  // namespace

Expr to_negation_normal_form(ExpressionPool& pool, Expr root) {
  Walk walk;
  return to_negation_normal_form(pool, root, walk);
}

Expr to_negation_normal_form(ExpressionPool& pool, Expr root, Walk& walk) {
  const auto walked = walk.post_order(pool, root);
  const std::vector<Expr> order(walked.begin(), walked.end());
  // Nodes are addressed by their position in the order, so that the scratch memory is proportional to the expression,
  // not to the pool.
  const auto place_of = [&](Expr e) {
    return static_cast<std::size_t>(std::ranges::lower_bound(order, e) - order.begin());
  };

  // From the root down: which polarities of each node are needed? A negation deep in the expression must not duplicate
  // everything.
  std::vector<std::array<bool, 2>> needed(order.size(), {false, false});
  needed.back()[0] = true;
  for (std::size_t i = order.size(); i-- > 0;) {
    const Op op = pool.op(order[i]);
    const auto operands = pool.operands(order[i]);
    for (std::size_t j = 0; j < operands.size(); ++j) {
      auto& child = needed[place_of(operands[j])];
      const bool turned = op == Op::kNot || (op == Op::kImplies && j + 1 < operands.size());
      for (const bool negated : {false, true}) {
        if (!needed[i][negated ? 1 : 0]) continue;
        child[negated != turned ? 1 : 0] = true;
        if (op == Op::kXor || op == Op::kIff) child[negated != turned ? 0 : 1] = true;
      }
    }
  }

  std::vector<Polarities> made(order.size());
  std::vector<Expr> operands;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Expr e = order[i];
    const Op op = pool.op(e);
    // The pool grows below, which may reallocate its operands: copy them.
    const auto view = pool.operands(e);
    const std::vector<Expr> children(view.begin(), view.end());
    const auto child = [&](std::size_t j) { return made[place_of(children[j])]; };

    if (op == Op::kXor || op == Op::kIff) {
      Polarities folded = child(0);
      for (std::size_t j = 1; j < children.size(); ++j) {
        folded = exclusive_or(pool, folded, child(j));
        if (op == Op::kIff) std::swap(folded.positive, folded.negative);
      }
      made[i] = folded;
      continue;
    }
    for (const bool negated : {false, true}) {
      if (!needed[i][negated ? 1 : 0]) continue;
      Expr& out = negated ? made[i].negative : made[i].positive;
      switch (op) {
        case Op::kFalse:
        case Op::kTrue:
          out = pool.constant((op == Op::kTrue) != negated);
          break;
        case Op::kVariable:
          out = negated ? pool.negation(e) : e;
          break;
        case Op::kNot:
          out = child(0).of(!negated);
          break;
        default:  // De Morgan; a -> b is !a | b
          operands.clear();
          for (std::size_t j = 0; j < children.size(); ++j) {
            const bool turned = op == Op::kImplies && j + 1 < children.size();
            operands.push_back(child(j).of(negated != turned));
          }
          out = join(pool, (op == Op::kAnd) != negated ? Op::kAnd : Op::kOr, operands);
          break;
      }
    }
  }
  return made.back().positive;
}

}  // namespace linn
