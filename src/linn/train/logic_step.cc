#include "linn/train/logic_step.h"

#include <algorithm>
#include <numeric>

#include "linn/kernels/rows.h"
#include "linn/nn/law_pass.h"

namespace linn {

LogicStep::LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
                     const LogicStepOptions& options, TrainingDevice* device)
    : network_(network),
      variables_(variables),
      optimizer_(optimizer),
      pool_(pool),
      options_(options),
      regularizers_(options.regularizers),
      builder_(options.plan),
      run_(network, pool),
      device_(device != nullptr ? device->train(network, &variables, optimizer) : nullptr) {}

void LogicStep::scale_laws(float factor) {
  for (std::size_t i = 0; i < kLaws; ++i) regularizers_.laws[i] = factor * options_.regularizers.laws[i];
}

StepReport LogicStep::run(const ExpressionBatch& batch, const Loss& loss, Random& random) {
  const StepReport report = compute(batch, loss, random);
  update();
  return report;
}

StepReport LogicStep::compute(const ExpressionBatch& batch, const Loss& loss, Random& random) {
  builder_.build(batch, options_.random_order ? &random : nullptr, plan_);
  optimizer_.catch_up(pool_, 0, plan_.variables);

  ForwardOptions forward;
  forward.regularizers = &regularizers_;
  forward.dropout = {options_.dropout, &random};
  const std::span<const float> scores = run_.forward(plan_, variables_.row(0), forward);
  d_scores_.reshape(scores.size());
  StepReport report;
  report.task_loss = loss(scores, d_scores_.span());

  run_.backward(d_scores_.span(), &random, modules_learn() ? Modules::kLearn : Modules::kFixed);
  report.regularizers = run_.regularizer_values();
  gradient_ = sorted_gradient();
  return report;
}

void LogicStep::update() {
  optimizer_.step(pool_, run_.parameter_gradients(), {&gradient_, 1});
  if (modules_learn()) network_.prepare();
}

void LogicStep::queue(const ExpressionBatch& batch, const ScoreLoss& loss, Random& random) {
  builder_.build(batch, options_.random_order ? &random : nullptr, plan_);
  const std::uint64_t seed = options_.dropout > 0.0F ? random.next() : 0;
  negated_law_rows_.clear();
  other_law_rows_.clear();
  if (regularizers_.any_law()) choose_law_rows(plan_, regularizers_, &random, negated_law_rows_, other_law_rows_);
  device_->step({plan_, regularizers_, negated_law_rows_, other_law_rows_, options_.dropout, seed}, loss);
}

StepReport LogicStep::finish() {
  const DeviceSums sums = device_->finish();
  return {sums.task_loss, sums.regularizers};
}

// The optimizer expects rows in ascending order; the plan has variables in order of occurrence.
SparseGradient LogicStep::sorted_gradient() {
  const std::size_t rows = plan_.variables.size();
  const std::size_t d = network_.width();
  order_.resize(rows);
  std::iota(order_.begin(), order_.end(), 0U);
  std::ranges::sort(order_, {}, [&](std::uint32_t i) { return plan_.variables[i]; });
  sorted_rows_.resize(rows);
  for (std::size_t i = 0; i < rows; ++i) sorted_rows_[i] = plan_.variables[order_[i]];
  sorted_values_.reshape(rows * d);
  copy_rows(rows, d, {run_.variable_gradients().data(), d, order_.data()}, {sorted_values_.data(), d});
  return {sorted_rows_, sorted_values_.data()};
}

}  // namespace linn
