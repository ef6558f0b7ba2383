// The loss of LINN on a batch of equations.
//
// Likelihood: the cross-entropy of the labels, as in the paper, with label noise.
//
// Variational: the truth of a variable, p = Sim(v, T), is taken as its marginal probability, and all of them as a
// factorized approximation q of the posterior of the variables given the labels. The Kullback-Leibler divergence from
// the posterior is, up to a constant,
//
//   the sum over equations of E_q[-log P(label | the variables)]  -  the sum over variables of the entropy H(p).
//
// With label noise e, an equation that contradicts all others adds at most log((1 - e) / e), so no variable yields to a
// single wrong label; and a variable that no equation determines stays at 1/2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/equations/equation_options.h"
#include "linn/logic/normal_form.h"
#include "linn/plan/expression_batch.h"
#include "linn/train/training_device.h"

namespace linn {

class EquationBatchLoss {
 public:
  // `forms`: all equations of the training data.
  EquationBatchLoss(const EquationOptions& options, std::span<const NormalForm> forms, std::size_t variables);

  // Makes a batch of rows of the training data. The variational loss adds the batch's variables, each as an expression.
  void gather(std::span<const NormalForm> forms, std::span<const float> labels, std::span<const std::uint32_t> rows);
  const ExpressionBatch& batch() const { return batch_; }

  // The loss and its gradients from the scores of the batch's expressions. May be called from several threads.
  double operator()(std::span<const float> scores, double label_noise, std::span<float> d_scores) const;
  // The same loss for a device, valid until the next gather().
  ScoreLoss for_device(double label_noise) const;

 private:
  void add_variables();

  EquationLoss loss_;
  float entropy_;
  std::vector<std::uint32_t> occurrences_;  // of each variable in the training data
  ExpressionBatch batch_;
  std::vector<float> labels_;
  std::vector<VariableId> variables_;  // of the batch
  std::vector<float> weights_;         // of their entropies: the share of a variable's occurrences that is in the batch
  std::vector<float> share_;           // the share by variable; 0 outside the batch
};

}  // namespace linn
