#include "linn/train/logic_gradient.h"

#include <algorithm>
#include <numeric>

#include "linn/kernels/rows.h"

namespace linn {

LogicGradient::LogicGradient(const LogicNetwork& network, const EmbeddingTable& variables, ThreadPool& pool,
                             const LogicStepOptions& options)
    : network_(network),
      variables_(variables),
      options_(options),
      regularizers_(options.regularizers),
      run_(network, pool) {}

void LogicGradient::scale_laws(float factor) {
  for (std::size_t i = 0; i < kLaws; ++i) regularizers_.laws[i] = factor * options_.regularizers.laws[i];
}

StepReport LogicGradient::compute(const Plan& plan, const Loss& loss, Random& random, Modules modules) {
  ForwardOptions forward;
  forward.regularizers = &regularizers_;
  forward.dropout = {options_.dropout, &random};
  const std::span<const float> scores = run_.forward(plan, variables_.row(0), forward);
  d_scores_.reshape(scores.size());
  StepReport report;
  report.task_loss = loss(scores, d_scores_.span());

  run_.backward(d_scores_.span(), &random, modules);
  report.regularizers = run_.regularizer_values();
  sort_gradient(plan);
  return report;
}

// The optimizer expects rows in ascending order; the plan has variables in order of occurrence.
void LogicGradient::sort_gradient(const Plan& plan) {
  const std::size_t rows = plan.variables.size();
  const std::size_t d = network_.width();
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, {}, [&](std::uint32_t i) { return plan.variables[i]; });
  sorted_rows_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) sorted_rows_[i] = plan.variables[order_[i]];
  sorted_values_.reshape(rows * d);
  copy_rows(rows, d, {run_.variable_gradients().data(), d, order_.data()}, {sorted_values_.data(), d});
}

}  // namespace linn
