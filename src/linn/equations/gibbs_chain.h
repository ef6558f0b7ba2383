// One Markov chain over the assignments of a ClauseModel.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/equations/clause_model.h"

namespace linn {

// The likelihood of a label q at the noise rate epsilon:
//   q (1 - epsilon) + (1 - q) epsilon   if the expression is true,
//   (1 - q)(1 - epsilon) + q epsilon    if it is false.
double label_likelihood(double label, bool truth, double noise);

// Every flip updates the number of false literals of each clause, and the number of true clauses of each equation.
class GibbsChain {
 public:
  // Starts from a random assignment. The model must outlive the chain. The noise rate must be in (0, 1/2].
  GibbsChain(const ClauseModel& model, Random random, double noise);

  void set_noise(double noise);
  double noise() const { return noise_; }

  // Draws every variable in turn from its distribution conditional on all others.
  void sweep();

  // Draws the noise rate from its distribution conditional on the assignment.
  void draw_noise();

  std::span<const std::uint8_t> values() const { return values_; }
  bool holds(std::size_t equation) const { return true_clauses_[equation] != 0; }

  double log_likelihood() const;

  // The number of labels on the wrong side of 1/2.
  std::size_t contradicted() const;

  // log P(variable is true | all others) - log P(variable is false | all others).
  double log_odds(std::size_t variable) const;

 private:
  void flip(std::size_t variable);
  double draw_gamma(double shape);

  const ClauseModel& model_;
  Random random_;
  double noise_ = 0.5;
  std::vector<std::uint8_t> values_;
  std::vector<std::uint32_t> false_literals_;  // of each clause
  std::vector<std::uint32_t> true_clauses_;    // of each equation
  std::vector<double> gains_;                  // of each equation: log-likelihood if true minus log-likelihood if false
};

}  // namespace linn
