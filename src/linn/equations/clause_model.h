// Equations as flat arrays, laid out for flipping one variable at a time.
//
// Every equation becomes a DNF with a label q. An expression whose CNF is smaller is negated: negating the literals of
// its clauses gives a DNF of the opposite, with the label 1 - q.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/data/equations.h"
#include "linn/logic/normal_form.h"

namespace linn {

// One literal of one clause, seen from its variable.
struct Occurrence {
  std::uint32_t clause_code;    // 2 * clause + (1 if the literal is negated)
  std::uint32_t equation_code;  // 2 * equation + (1 if the variable has no further literal in the equation)

  std::uint32_t clause() const { return clause_code >> 1U; }
  bool negated() const { return (clause_code & 1U) != 0; }
  std::uint32_t equation() const { return equation_code >> 1U; }
  bool last_of_equation() const { return (equation_code & 1U) != 0; }
};

// Variable v has the occurrences [starts[v], starts[v + 1]), grouped by equation. A variable occurs at most once in a
// clause.
struct ClauseModel {
  std::vector<Occurrence> occurrences;
  std::vector<std::uint32_t> starts = {0};
  std::vector<std::uint32_t> clause_sizes;
  // Equation e has the clauses [clause_starts[e], clause_starts[e + 1]).
  std::vector<std::uint32_t> clause_starts = {0};
  // Equation e has the label labels[label_of[e]].
  std::vector<std::uint32_t> label_of;
  std::vector<double> labels;

  std::size_t variables() const { return starts.size() - 1; }
  std::size_t equations() const { return label_of.size(); }
  std::size_t clauses() const { return clause_sizes.size(); }
  std::span<const Occurrence> occurrences_of(std::size_t variable) const {
    return std::span(occurrences).subspan(starts[variable], starts[variable + 1] - starts[variable]);
  }
};

// Lays out the equations over all variables of the pool; normalizing them adds nodes to the pool. Equations with the
// label 1/2 carry no information and are left out. Throws InputError for a label outside [0, 1], and for an expression
// whose DNF and CNF both exceed the limits.
ClauseModel make_clause_model(ExpressionPool& pool, const EquationList& equations, const NormalFormLimits& limits = {});

}  // namespace linn
