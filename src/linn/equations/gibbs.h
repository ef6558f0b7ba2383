// The reference reasoner: Bayesian inference about variables and new expressions from noisy equations.
//
//   EquationData data = read_equation_data("equations");
//   GibbsResult result = gibbs_reason(data.pool, data.train, data.test.expressions);
//   double p = result.expressions[0];   // how probable the first test expression is
//
// A priori every variable is true with probability 1/2, and every label is wrong with probability epsilon. Gibbs
// sampling draws assignments from the posterior; the share of samples in which an expression is true estimates its
// probability. No learned model can beat this by more than the sampling error.
//
// A label q between 0 and 1 is a mixture of q parts true and 1 - q parts false: its likelihood is
// q (1 - epsilon) + (1 - q) epsilon if the expression is true, and the same with 1 - q for q if it is false.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "linn/data/equations.h"
#include "linn/logic/normal_form.h"

namespace linn {

struct GibbsOptions {
  // The share of wrong labels, from 0 to 1/2; nullopt: estimated along with the variables.
  std::optional<double> noise = std::nullopt;
  std::size_t chains = 16;    // independent chains, each annealed from a random start
  std::size_t burn_in = 400;  // sweeps of a chain before the first sample
  std::size_t samples = 200;  // samples of a chain, one per sweep
  std::uint64_t seed = 0;
  std::size_t threads = 1;                  // the result does not depend on it
  const std::atomic<bool>* stop = nullptr;  // once set, gibbs_reason() throws Interrupted
  NormalFormLimits limits = {};             // for equations; queries are not normalized
  bool keep_assignments = false;
};

struct GibbsResult {
  std::vector<double> variables;    // probability that each variable of the pool is true; 1/2 if in no equation
  std::vector<double> expressions;  // probability that each query is true
  double noise = 0.0;               // the given noise rate, or the posterior mean of the estimated one
  double contradicted = 0.0;        // mean number of labels on the wrong side of 1/2
  std::size_t chains_used = 0;      // chains that were averaged: those not far below the best likelihood
  // With keep_assignments: one row per sample, one byte (0 or 1) per variable of the pool, for later queries.
  std::vector<std::uint8_t> assignments;
};

// Infers the variables and the queries from the equations; normalizing adds nodes to the pool. Throws InputError for
// options or labels out of range, and for an equation whose DNF and CNF both exceed the limits.
GibbsResult gibbs_reason(ExpressionPool& pool, const EquationList& equations, std::span<const Expr> queries,
                         const GibbsOptions& options = {});

}  // namespace linn
