#include "linn/logic/evaluate.h"

#include <algorithm>

namespace linn {

bool Evaluator::evaluate(const ExpressionPool& pool, Expr root, std::span<const std::uint8_t> values) {
  if (value_of_node_.size() < pool.size()) value_of_node_.resize(pool.size());
  const auto value = [&](Expr e) { return value_of_node_[e.index] != 0; };

  for (const Expr e : walk_.post_order(pool, root)) {
    const auto operands = pool.operands(e);
    bool result = false;
    switch (pool.op(e)) {
      case Op::kFalse:
        break;
      case Op::kTrue:
        result = true;
        break;
      case Op::kVariable:
        result = values[pool.variable_of(e)] != 0;
        break;
      case Op::kNot:
        result = !value(operands[0]);
        break;
      case Op::kAnd:
        result = std::ranges::all_of(operands, value);
        break;
      case Op::kOr:
        result = std::ranges::any_of(operands, value);
        break;
      case Op::kXor:
        result = std::ranges::count_if(operands, value) % 2 == 1;
        break;
      case Op::kIff:
        // Folding from the left, each false operand inverts the value.
        result = std::ranges::count_if(operands, [&](Expr x) { return !value(x); }) % 2 == 0;
        break;
      case Op::kImplies:
        // a -> (b -> c): false only if all premises hold and the conclusion does not.
        result = value(operands.back()) || !std::ranges::all_of(operands.first(operands.size() - 1), value);
        break;
    }
    value_of_node_[e.index] = result ? 1 : 0;
  }
  return value(root);
}

bool evaluate(const ExpressionPool& pool, Expr root, std::span<const std::uint8_t> values) {
  return Evaluator().evaluate(pool, root, values);
}

bool evaluate(const NormalForm& normal_form, std::span<const std::uint8_t> values) {
  const auto holds = [&](Literal l) { return (values[l.variable()] != 0) != l.negated(); };
  const bool dnf = normal_form.form == Form::kDnf;
  for (std::size_t i = 0; i < normal_form.clauses(); ++i) {
    const auto clause = normal_form.clause(i);
    const bool clause_value = dnf ? std::ranges::all_of(clause, holds) : std::ranges::any_of(clause, holds);
    if (clause_value == dnf) return dnf;
  }
  return !dnf;
}

}  // namespace linn
