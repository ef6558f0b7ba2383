// The expressions of one batch, as clauses and chains in flat arrays.
#pragma once

#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/logic/normal_form.h"

namespace linn {

// Expression i is in forms[i] and has the clauses expression_starts[i] up to expression_starts[i + 1]; clause j holds
// literals[clause_starts[j]] up to literals[clause_starts[j + 1]]. No clause or an empty clause is a constant, as in
// NormalForm.
//
// A chain stands for many expressions at once, F or l_1 or ... or l_k for several k: chain c folds
// chain_literals[chain_starts[c]] up to chain_starts[c + 1] from the left, beginning with F, and the prefixes of length
// prefixes[prefix_starts[c]] up to prefixes[prefix_starts[c + 1]] are its expressions. They come after those made of
// clauses.
struct ExpressionBatch {
  std::vector<Form> forms;
  std::vector<std::uint32_t> expression_starts = {0};
  std::vector<std::uint32_t> clause_starts = {0};
  std::vector<Literal> literals;

  std::vector<std::uint32_t> chain_starts = {0};
  std::vector<Literal> chain_literals;
  std::vector<std::uint32_t> prefix_starts = {0};
  std::vector<std::uint32_t> prefixes;

  // The number of expressions made of clauses, and of all expressions.
  std::size_t clause_expressions() const { return forms.size(); }
  std::size_t size() const { return forms.size() + prefixes.size(); }
  std::size_t chains() const { return chain_starts.size() - 1; }

  void clear() {
    forms.clear();
    literals.clear();
    expression_starts.assign(1, 0);
    clause_starts.assign(1, 0);
    chain_literals.clear();
    prefixes.clear();
    chain_starts.assign(1, 0);
    prefix_starts.assign(1, 0);
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

  // Adds a chain and its expressions: prefixes in ascending order, at least one of them. Literals after the last one
  // are left out.
  void add_chain(std::span<const Literal> chain, std::span<const std::uint32_t> lengths) {
    assert(!lengths.empty() && lengths.back() <= chain.size());
    chain_literals.insert(chain_literals.end(), chain.begin(), chain.begin() + lengths.back());
    chain_starts.push_back(static_cast<std::uint32_t>(chain_literals.size()));
    prefixes.insert(prefixes.end(), lengths.begin(), lengths.end());
    prefix_starts.push_back(static_cast<std::uint32_t>(prefixes.size()));
  }

  std::span<const Literal> clause(std::size_t j) const {
    return std::span(literals).subspan(clause_starts[j], clause_starts[j + 1] - clause_starts[j]);
  }
};

}  // namespace linn
