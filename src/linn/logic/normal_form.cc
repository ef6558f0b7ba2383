#include "linn/logic/normal_form.h"

#include <cassert>

namespace linn {
namespace {

struct FormOps {
  Op inner;  // joins the literals of a clause
  Op outer;  // joins the clauses
};
FormOps ops_of(Form form) { return form == Form::kDnf ? FormOps{Op::kAnd, Op::kOr} : FormOps{Op::kOr, Op::kAnd}; }

bool is_literal(const ExpressionPool& pool, Expr e) {
  if (pool.op(e) == Op::kNot) e = pool.operands(e)[0];
  return pool.op(e) == Op::kVariable;
}

Literal literal_of(const ExpressionPool& pool, Expr e) {
  if (pool.op(e) == Op::kNot) return Literal::of(pool.variable_of(pool.operands(e)[0]), true);
  return Literal::of(pool.variable_of(e), false);
}

bool is_clause(const ExpressionPool& pool, Expr e, Op inner) {
  if (pool.op(e) != inner) return is_literal(pool, e);
  for (const Expr child : pool.operands(e)) {
    if (!is_literal(pool, child)) return false;
  }
  return true;
}

}  // namespace

void NormalForm::add_clause(std::span<const Literal> clause) {
  literals.insert(literals.end(), clause.begin(), clause.end());
  starts.push_back(static_cast<std::uint32_t>(literals.size()));
}

bool is_in_form(const ExpressionPool& pool, Expr root, Form form) {
  const auto [inner, outer] = ops_of(form);
  if (pool.op(root) < Op::kVariable) return true;
  if (pool.op(root) != outer) return is_clause(pool, root, inner);
  for (const Expr child : pool.operands(root)) {
    if (!is_clause(pool, child, inner)) return false;
  }
  return true;
}

NormalForm clauses_as_written(const ExpressionPool& pool, Expr root, Form form) {
  assert(is_in_form(pool, root, form));
  const auto [inner, outer] = ops_of(form);
  NormalForm result;
  result.form = form;
  if (pool.op(root) < Op::kVariable) {
    const bool empty_clause = (pool.op(root) == Op::kTrue) == (form == Form::kDnf);
    if (empty_clause) result.add_clause({});
    return result;
  }

  const auto add = [&](Expr clause) {
    if (is_literal(pool, clause)) {
      result.literals.push_back(literal_of(pool, clause));
    } else {
      for (const Expr child : pool.operands(clause)) result.literals.push_back(literal_of(pool, child));
    }
    result.starts.push_back(static_cast<std::uint32_t>(result.literals.size()));
  };
  if (pool.op(root) == outer) {
    for (const Expr clause : pool.operands(root)) add(clause);
  } else {
    add(root);
  }
  return result;
}

}  // namespace linn
