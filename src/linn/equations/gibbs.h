// The yardstick: what can be known about variables and new expressions from noisy equations.
//
//   EquationData data = read_equation_data("equations");
//   GibbsResult result = gibbs_reason(data.pool, data.train, data.test.expressions);
//   double p = result.expressions[0];   // how probable the first test expression is
//
// Every variable is true or false with probability 1/2 beforehand, and every equation's label is wrong with
// probability epsilon. Gibbs sampling draws assignments from the posterior; the share of samples in which
// an expression is true is its probability. No learned model can beat this by more than sampling error.
//
// A label q between 0 and 1 counts as q parts of a true and 1 - q parts of a false one: its likelihood is
// q (1 - epsilon) + (1 - q) epsilon if the expression is true, and the same with 1 - q for q if it is false.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linn/data/equations.h"
#include "linn/logic/normal_form.h"

namespace linn {

struct GibbsOptions {
  // The assumed share of wrong labels, from 0 to 1/2; nothing: estimated along with the variables.
  std::optional<double> noise = std::nullopt;
  std::size_t chains = 16;    // independent chains, each annealed from a random start
  std::size_t burn_in = 400;  // sweeps of a chain before its samples count
  std::size_t samples = 200;  // sweeps of a chain that count
  std::uint64_t seed = 0;
  std::size_t threads = 1;       // chains run side by side; the result does not depend on it
  NormalFormLimits limits = {};  // of the equations; queries are not normalised
  bool keep_assignments = false;
};

struct GibbsResult {
  std::vector<double> variables;    // probability of each variable of the pool being true; 1/2 if in no equation
  std::vector<double> expressions;  // probability of each queried expression being true
  double noise = 0.0;               // the noise rate given, or the posterior mean of the estimated one
  double contradicted = 0.0;        // how many labels are on the wrong side of 1/2, on average over the samples
  std::size_t chains_used = 0;      // chains that did not end far from the best and were averaged
  // If asked for: the sampled assignments, one after the other, a byte (0 or 1) for each variable of the pool. With
  // them expressions can be asked that were not known before.
  std::vector<std::uint8_t> assignments;
};

// Only the equations given are evidence. The pool gains nodes while they are normalised. Throws InputError
// for options or labels out of range, and for an equation neither of whose normal forms is within the limits.
GibbsResult gibbs_reason(ExpressionPool& pool, const EquationList& equations, std::span<const Expr> queries,
                         const GibbsOptions& options = {});

}  // namespace linn
