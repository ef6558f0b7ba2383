// What LINN minimises on a batch of equations.
//
// Likelihood: the cross entropy of the labels, as in the paper, seen through label noise.
//
// Variational: the truth of a variable, p = Sim(v, T), is taken as a degree of belief, and all beliefs together as an
// approximation q of what Bayes' rule says of the variables, given the labels. Its distance from that (the
// Kullback-Leibler divergence) is, but for a constant,
//
//   the sum over equations of E_q[-log P(label | the variables)]  -  the sum over variables of the entropy H(p).
//
// An equation that contradicts what all others say costs no more than log((1 - e) / e), so that no variable bends to a
// wrong label; and a variable that no equation decides stays undecided.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/equations/equation_options.h"
#include "linn/logic/normal_form.h"
#include "linn/plan/expression_batch.h"

namespace linn {

class EquationBatchLoss {
 public:
  // The forms are those of the training data, over so many variables.
  EquationBatchLoss(const EquationOptions& options, std::span<const NormalForm> forms, std::size_t variables);

  // Makes a batch of some rows of the training data. The variational loss also asks for its variables, each an
  // expression of its own.
  void gather(std::span<const NormalForm> forms, std::span<const float> labels, std::span<const std::uint32_t> rows);
  const ExpressionBatch& batch() const { return batch_; }

  // From the scores of the batch's expressions; may be called from several threads.
  double operator()(std::span<const float> scores, double label_noise, std::span<float> d_scores) const;

 private:
  void add_variables();

  EquationLoss loss_;
  float entropy_;
  std::vector<std::uint32_t> occurrences_;  // of each variable in the training data
  ExpressionBatch batch_;
  std::vector<float> labels_;
  std::vector<VariableId> met_;  // variables of the batch
  std::vector<float> weights_;   // of their entropies: the share of a variable's occurrences that is in the batch
  std::vector<float> share_;     // the same by variable; 0 outside the batch
};

}  // namespace linn
