// Negation, disjunctive and conjunctive normal forms.
//
// The networks are not trained on distributivity or De Morgan's laws, so every expression is normalised first (paper,
// section 3.2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// A variable or its negation, encoded in one number.
struct Literal {
  std::uint32_t code = 0;

  static Literal of(VariableId variable, bool negated) { return Literal{variable * 2 + (negated ? 1U : 0U)}; }
  VariableId variable() const { return code / 2; }
  bool negated() const { return (code & 1U) != 0; }
  Literal operator!() const { return Literal{code ^ 1U}; }
  friend auto operator<=>(const Literal&, const Literal&) = default;
};

enum class Form : std::uint8_t { kDnf, kCnf };

// Clauses of literals in flat arrays: clause i is literals[starts[i]] to literals[starts[i + 1] - 1].
// DNF: a disjunction of conjunctions; no clauses means F, an empty clause makes it T.
// CNF: a conjunction of disjunctions; no clauses means T, an empty clause makes it F.
struct NormalForm {
  Form form = Form::kDnf;
  std::vector<Literal> literals;
  std::vector<std::uint32_t> starts = {0};

  std::size_t clauses() const { return starts.size() - 1; }
  std::span<const Literal> clause(std::size_t i) const {
    return std::span(literals).subspan(starts[i], starts[i + 1] - starts[i]);
  }
  void add_clause(std::span<const Literal> clause);
  friend bool operator==(const NormalForm&, const NormalForm&) = default;
};

// The number of literals held at one time beyond which normalisation gives up.
struct NormalFormLimits {
  std::size_t max_literals = 4'000'000;
};

// An equivalent expression with negation on variables only, and only And and Or. Linear in the number of nodes: shared
// subexpressions stay shared.
Expr to_negation_normal_form(ExpressionPool& pool, Expr root);
Expr to_negation_normal_form(ExpressionPool& pool, Expr root, Walk& walk);

// Whether the expression is in the form as written; constants are allowed only as the whole expression.
bool is_in_form(const ExpressionPool& pool, Expr root, Form form);

// The clauses of an expression that is in the form, exactly as written: order and repetitions are kept.
NormalForm clauses_as_written(const ExpressionPool& pool, Expr root, Form form);

// Normalises expressions of a pool. Keeps its working memory between expressions, so that a large data set costs no
// more than its own size.
class Normalizer {
 public:
  explicit Normalizer(ExpressionPool& pool, const NormalFormLimits& limits = {});
  ~Normalizer();

  // Equivalent, simplified clauses: constants are folded, repeated literals and clauses merged, contradictory (DNF) or
  // tautological (CNF) clauses dropped, and clauses that contain another removed. Literals are sorted by name, clauses
  // by length and then by their literals, so equal normal forms print identically. Throws InputError stating the size
  // reached if it exceeds the limit.
  NormalForm normalize(Expr root, Form form);

  // The form the network is built from: as written if the expression is in the form, normalised otherwise.
  NormalForm network_form(Expr root, Form form);

 private:
  struct Memory;
  NormalForm simplify(Memory& memory, Expr root, Form form);
  NormalForm distribute(Memory& memory, Expr root, Form form);

  ExpressionPool& pool_;
  NormalFormLimits limits_;
  Walk walk_;
  std::unique_ptr<Memory> memory_;
};

// Normalises a single expression.
NormalForm normalize(ExpressionPool& pool, Expr root, Form form, const NormalFormLimits& limits = {});

}  // namespace linn
