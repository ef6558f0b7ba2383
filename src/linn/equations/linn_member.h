// One LINN network in training on equations; an ensemble has several of them.
#pragma once

#include <optional>

#include "linn/equations/equation_options.h"
#include "linn/model/logic_model.h"
#include "linn/train/logic_step.h"
#include "linn/train/sharded_logic_step.h"

namespace linn {

class LinnMember {
 public:
  // The options must outlive it. `shards`: of its steps; null: each is done as a whole.
  LinnMember(std::size_t variables, const EquationOptions& options, ThreadPool& threads, Shards* shards,
             TrainingDevice* device = nullptr);
  LinnMember(const LinnMember&) = delete;
  LinnMember& operator=(const LinnMember&) = delete;

  void initialize_modules(Random& random) { model_.network.initialize(random, options_.init); }
  void initialize_variables(Random& random) { model_.variables.initialize_normal(random, options_.init); }
  // Also copies T.
  void copy_modules(const LinnMember& from);

  void begin_epoch(float law_scale);

  // One step. Returns the task's loss, summed over the batch, or a non-finite number if any part of the loss is not
  // finite.
  double train(const ExpressionBatch& batch, const LogicStep::Loss& task, Random& random);
  // The same in shards.
  double train(const ShardedLogicStep::Fill& fill, const ShardedLogicStep::Loss& task, Random& random);

  // On a device: queues a step. Then end_epoch() returns the loss of all steps, with the same meaning as that of
  // train().
  bool on_device() const { return step_ && step_->on_device(); }
  void queue(const ExpressionBatch& batch, const ScoreLoss& task, Random& random) { step_->queue(batch, task, random); }

  // Brings all variables up to date.
  double end_epoch(ThreadPool& threads);

  LogicModel& model() { return model_; }
  TrainedModel trained() { return {&model_, &optimizer_}; }

  // Summed over the epoch so far.
  const RegularizerValues& regularizers() const { return values_; }

 private:
  double count(const StepReport& step);

  const EquationOptions& options_;
  LogicModel model_;
  Optimizer optimizer_;
  std::optional<LogicStep> step_;
  std::optional<ShardedLogicStep> sharded_step_;  // one of the two
  RegularizerValues values_;
};

}  // namespace linn
