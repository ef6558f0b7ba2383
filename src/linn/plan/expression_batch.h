// The expressions of one batch, as clauses in flat arrays.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/logic/normal_form.h"

namespace linn {

// Expression i is in forms[i] and has the clauses expression_starts[i] up to expression_starts[i + 1]; clause j holds
// literals[clause_starts[j]] up to literals[clause_starts[j + 1]]. No clause or an empty clause is a constant, as in
// NormalForm.
struct ExpressionBatch {
  std::vector<Form> forms;
  std::vector<std::uint32_t> expression_starts = {0};
  std::vector<std::uint32_t> clause_starts = {0};
  std::vector<Literal> literals;

  std::size_t size() const { return forms.size(); }

  void clear() {
    forms.clear();
    literals.clear();
    expression_starts.assign(1, 0);
    clause_starts.assign(1, 0);
  }

  // Add an expression clause by clause, then end it.
  void add_clause(std::span<const Literal> clause) {
    literals.insert(literals.end(), clause.begin(), clause.end());
    clause_starts.push_back(static_cast<std::uint32_t>(literals.size()));
  }
  void end_expression(Form form) {
    forms.push_back(form);
    expression_starts.push_back(static_cast<std::uint32_t>(clause_starts.size() - 1));
  }

  void add(const NormalForm& expression) {
    for (std::size_t i = 0; i < expression.clauses(); ++i) add_clause(expression.clause(i));
    end_expression(expression.form);
  }

  std::span<const Literal> clause(std::size_t j) const {
    return std::span(literals).subspan(clause_starts[j], clause_starts[j + 1] - clause_starts[j]);
  }
};

}  // namespace linn
