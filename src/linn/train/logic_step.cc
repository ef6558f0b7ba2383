#include "linn/train/logic_step.h"

#include "linn/nn/law_pass.h"

namespace linn {

LogicStep::LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
                     const LogicStepOptions& options, TrainingDevice* device)
    : network_(network),
      optimizer_(optimizer),
      pool_(pool),
      options_(options),
      builder_(options.plan),
      gradient_(network, variables, pool, options_),
      device_(device != nullptr ? device->train(network, &variables, optimizer) : nullptr) {}

StepReport LogicStep::run(const ExpressionBatch& batch, const Loss& loss, Random& random) {
  const StepReport report = compute(batch, loss, random);
  update();
  return report;
}

StepReport LogicStep::compute(const ExpressionBatch& batch, const Loss& loss, Random& random) {
  builder_.build(batch, options_.random_order ? &random : nullptr, plan_);
  optimizer_.catch_up(pool_, 0, plan_.variables);
  return gradient_.compute(plan_, loss, random, modules_learn() ? Modules::kLearn : Modules::kFixed);
}

void LogicStep::update() {
  const SparseGradient variables = gradient_.variables();
  optimizer_.step(pool_, gradient_.parameters(), {&variables, 1});
  if (modules_learn()) network_.prepare();
}

void LogicStep::queue(const ExpressionBatch& batch, const ScoreLoss& loss, Random& random) {
  builder_.build(batch, options_.random_order ? &random : nullptr, plan_);
  const std::uint64_t seed = options_.dropout > 0.0F ? random.next() : 0;
  negated_law_rows_.clear();
  other_law_rows_.clear();
  const RegularizerOptions& regularizers = gradient_.regularizers();
  if (regularizers.any_law()) {
    choose_law_rows(plan_, regularizers, kLaneCount, &random, negated_law_rows_, other_law_rows_);
  }
  device_->step({plan_, regularizers, negated_law_rows_, other_law_rows_, options_.dropout, seed}, loss);
}

StepReport LogicStep::finish() {
  const DeviceSums sums = device_->finish();
  return {sums.task_loss, sums.regularizers};
}

}  // namespace linn
