#include "linn/train/logic_step.h"

namespace linn {

LogicStep::LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
                     const LogicStepOptions& options)
    : network_(network),
      optimizer_(optimizer),
      pool_(pool),
      options_(options),
      builder_(options.plan),
      gradient_(network, variables, pool, options_) {}

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

}  // namespace linn
