// One training step of LINN: plan, forward, loss, backward, update. For a step in shards see sharded_logic_step.h.
#pragma once

#include <cstdint>
#include <memory>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan_builder.h"
#include "linn/train/logic_gradient.h"
#include "linn/train/training_device.h"

namespace linn {

class LogicStep {
 public:
  using Loss = LogicGradient::Loss;

  // All arguments must outlive the step. The optimizer must be bound to the network's parameters, with the variables as
  // its first table.
  LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
            const LogicStepOptions& options, TrainingDevice* device = nullptr);
  LogicStep(const LogicStep&) = delete;
  LogicStep& operator=(const LogicStep&) = delete;

  StepReport run(const ExpressionBatch& batch, const Loss& loss, Random& random);

  // The two halves of run(). In between, the gradients are complete.
  StepReport compute(const ExpressionBatch& batch, const Loss& loss, Random& random);
  void update();

  // On a device, steps are queued instead of run, and finish() brings back the values and the sums over all steps since
  // the last call: see training_device.h. With the same random numbers, batches have the same plans and law rows.
  bool on_device() const { return device_ != nullptr; }
  void queue(const ExpressionBatch& batch, const ScoreLoss& loss, Random& random);
  StepReport finish();

  // Multiplies the weights of the laws, as given by the options, by the factor from now on.
  void scale_laws(float factor) { gradient_.scale_laws(factor); }

  // Of the last batch, after compute().
  const Plan& plan() const { return plan_; }
  const LogicGradient& gradient() const { return gradient_; }

 private:
  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }

  LogicNetwork& network_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  LogicStepOptions options_;
  PlanBuilder builder_;
  Plan plan_;
  LogicGradient gradient_;

  std::unique_ptr<DeviceTraining> device_;  // null: the CPU
  LawRows negated_law_rows_, other_law_rows_;
};

}  // namespace linn
