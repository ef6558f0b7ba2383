#include "linn/equations/equation_loss.h"

#include <algorithm>

#include "linn/nn/losses.h"

namespace linn {
namespace {

// Without any label noise, the variational loss of a contradiction would be infinite.
constexpr double kMinLabelNoise = 0.01;

}  // namespace

EquationBatchLoss::EquationBatchLoss(const EquationOptions& options, std::span<const NormalForm> forms,
                                     std::size_t variables)
    : loss_(options.loss), entropy_(options.entropy) {
  if (loss_ == EquationLoss::kLikelihood) return;
  occurrences_.resize(variables);
  share_.resize(variables);
  for (const NormalForm& form : forms) {
    for (const Literal l : form.literals) ++occurrences_[l.variable()];
  }
}

void EquationBatchLoss::gather(std::span<const NormalForm> forms, std::span<const float> labels,
                               std::span<const std::uint32_t> rows) {
  batch_.clear();
  labels_.clear();
  for (const std::uint32_t row : rows) {
    batch_.add(forms[row]);
    labels_.push_back(labels[row]);
  }
  if (loss_ == EquationLoss::kVariational) add_variables();
}

// Weighted so that over an epoch the entropy of every variable counts once.
void EquationBatchLoss::add_variables() {
  variables_.clear();
  weights_.clear();
  for (const Literal l : batch_.literals) {
    if (share_[l.variable()] == 0.0F) variables_.push_back(l.variable());
    share_[l.variable()] += 1.0F / static_cast<float>(occurrences_[l.variable()]);
  }
  for (const VariableId variable : variables_) {
    const Literal literal[] = {Literal::of(variable, false)};
    batch_.add_clause(literal);
    batch_.end_expression(Form::kDnf);
    weights_.push_back(entropy_ * share_[variable]);
    share_[variable] = 0.0F;
  }
}

ScoreLoss EquationBatchLoss::for_device(double label_noise) const {
  if (loss_ == EquationLoss::kLikelihood) {
    return {.kind = ScoreLoss::Kind::kCrossEntropy, .labels = labels_, .label_noise = label_noise};
  }
  return {.kind = ScoreLoss::Kind::kExpectedLogLoss,
          .labels = labels_,
          .weights = weights_,
          .label_noise = std::max(label_noise, kMinLabelNoise)};
}

double EquationBatchLoss::operator()(std::span<const float> scores, double label_noise,
                                     std::span<float> d_scores) const {
  if (loss_ == EquationLoss::kLikelihood) return cross_entropy(scores, labels_, label_noise, d_scores);
  const std::size_t equations = labels_.size();
  return expected_log_loss(scores.first(equations), labels_, std::max(label_noise, kMinLabelNoise),
                           d_scores.first(equations)) +
         negative_entropy(scores.subspan(equations), weights_, d_scores.subspan(equations));
}

}  // namespace linn
