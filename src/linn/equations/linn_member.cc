#include "linn/equations/linn_member.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace linn {

LinnMember::LinnMember(std::size_t variables, const EquationOptions& options, ThreadPool& threads, Shards* shards,
                       TrainingDevice* device)
    : options_(options),
      model_(options.network, variables),
      optimizer_(options.optimizer, model_.network.parameters(), {&model_.variables}) {
  const LogicStepOptions step = logic_step_options(options, options.dropout);
  if (shards != nullptr) {
    sharded_step_.emplace(model_.network, model_.variables, optimizer_, *shards, step);
  } else {
    step_.emplace(model_.network, model_.variables, optimizer_, threads, step, device);
  }
}

void LinnMember::copy_modules(const LinnMember& from) {
  std::ranges::copy(from.model_.network.parameters().values(), model_.network.parameters().values().begin());
  std::ranges::copy(from.model_.network.true_vector(), model_.network.true_vector().begin());
  model_.network.prepare();
}

void LinnMember::begin_epoch(float law_scale) {
  if (step_) step_->scale_laws(law_scale);
  if (sharded_step_) sharded_step_->scale_laws(law_scale);
  values_ = {};
}

double LinnMember::train(const ExpressionBatch& batch, const LogicStep::Loss& task, Random& random) {
  return count(step_->run(batch, task, random));
}

double LinnMember::train(const ShardedLogicStep::Fill& fill, const ShardedLogicStep::Loss& task, Random& random) {
  return count(sharded_step_->run(fill, task, random));
}

double LinnMember::end_epoch(ThreadPool& threads) {
  if (on_device()) return count(step_->finish());
  optimizer_.flush(threads);
  return 0.0;
}

double LinnMember::count(const StepReport& step) {
  for (std::size_t i = 0; i < kLaws; ++i) values_.laws[i] += step.regularizers.laws[i];
  values_.length += step.regularizers.length;
  const double sum = std::accumulate(values_.laws.begin(), values_.laws.end(), step.task_loss + values_.length);
  return std::isfinite(sum) ? step.task_loss : sum;
}

}  // namespace linn
