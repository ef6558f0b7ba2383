// One training step of LINN: plan, forward, loss, backward, update.
#pragma once

#include <cstdint>
#include <functional>
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

namespace linn {

struct LogicStepOptions {
  RegularizerOptions regularizers;
  PlanOptions plan;
  bool random_order = true;  // of operands and association
  float dropout = 0.0F;
};

// Sums over the batch of a step.
struct StepReport {
  double task_loss = 0.0;
  RegularizerValues regularizers;
};

class LogicStep {
 public:
  // The loss of the task: takes one score per expression of the batch, writes their gradients and returns the loss.
  using Loss = std::function<double(std::span<const float> scores, std::span<float> d_scores)>;

  // All must outlive the step. The optimizer must be bound to the network's parameters and have the variables as its
  // first table.
  LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
            const LogicStepOptions& options);

  StepReport run(const ExpressionBatch& batch, const Loss& loss, Random& random);

  // The two halves of run(). Between them all gradients are complete, those of the parameters in one block and those of
  // the variables as rows: workers that train together would sum theirs here.
  StepReport compute(const ExpressionBatch& batch, const Loss& loss, Random& random);
  void update();

  // From now on the weights of the laws are those of the options times the factor.
  void scale_laws(float factor);

  const Plan& plan() const { return plan_; }

 private:
  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  SparseGradient sorted_gradient();

  LogicNetwork& network_;
  EmbeddingTable& variables_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  LogicStepOptions options_;
  RegularizerOptions regularizers_;  // those of the options with scaled laws
  PlanBuilder builder_;
  Plan plan_;
  GradientRun run_;
  AlignedArray<float> d_scores_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sorted_rows_;
  AlignedArray<float> sorted_values_;
  SparseGradient gradient_;
};

}  // namespace linn
