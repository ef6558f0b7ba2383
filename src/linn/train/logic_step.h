// One training step of LINN: plan, forward, loss, backward, update.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/embedding.h"
#include "linn/nn/gradient_run.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan_builder.h"
#include "linn/train/training_device.h"

namespace linn {

struct LogicStepOptions {
  RegularizerOptions regularizers;
  PlanOptions plan;
  bool random_order = true;  // random order and association of operands
  float dropout = 0.0F;
};

// Sums over the batch.
struct StepReport {
  double task_loss = 0.0;
  RegularizerValues regularizers;
};

class LogicStep {
 public:
  // The task's loss: takes one score per expression of the batch, writes their gradients and returns the loss.
  using Loss = std::function<double(std::span<const float> scores, std::span<float> d_scores)>;

  // All arguments must outlive the step. The optimizer must be bound to the network's parameters, with the variables as
  // its first table.
  LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
            const LogicStepOptions& options, TrainingDevice* device = nullptr);

  StepReport run(const ExpressionBatch& batch, const Loss& loss, Random& random);

  // The two halves of run(). In between, the gradients are complete: those of the parameters in one block and those of
  // the variables as rows. This is where distributed workers would sum theirs.
  StepReport compute(const ExpressionBatch& batch, const Loss& loss, Random& random);
  void update();

  // On a device, steps are queued instead of run, and finish() brings back the values and the sums over all steps since
  // the last call: see training_device.h. With the same random numbers, batches have the same plans and law rows.
  bool on_device() const { return device_ != nullptr; }
  void queue(const ExpressionBatch& batch, const ScoreLoss& loss, Random& random);
  StepReport finish();

  // Multiplies the weights of the laws, as given by the options, by the factor from now on.
  void scale_laws(float factor);

  // The plan of the last batch.
  const Plan& plan() const { return plan_; }

 private:
  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  SparseGradient sorted_gradient();

  LogicNetwork& network_;
  EmbeddingTable& variables_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  LogicStepOptions options_;
  RegularizerOptions regularizers_;  // with scaled laws
  PlanBuilder builder_;
  Plan plan_;
  GradientRun run_;
  AlignedArray<float> d_scores_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sorted_rows_;
  AlignedArray<float> sorted_values_;
  SparseGradient gradient_;

  std::unique_ptr<DeviceTraining> device_;  // null: the CPU
  LawRows negated_law_rows_, other_law_rows_;
};

}  // namespace linn
