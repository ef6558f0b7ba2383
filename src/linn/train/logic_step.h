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
#include "linn/nn/network_run.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan_builder.h"

namespace linn {

struct LogicStepOptions {
  RegularizerOptions regularizers;
  PlanOptions plan;
  bool random_order = true;  // of operands and association, in the network
  float dropout = 0.0F;
};

// What a step reports: sums over its batch.
struct StepReport {
  double task_loss = 0.0;
  RegularizerValues regularizers;
};

class LogicStep {
 public:
  // The task's loss: from scores, one for each expression of the batch, to their gradients; returns the loss.
  using Loss = std::function<double(std::span<const float> scores, std::span<float> d_scores)>;

  // All must outlive the step. The optimizer must be bound to the network's parameters and, as its first table, to the
  // variables.
  LogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, ThreadPool& pool,
            const LogicStepOptions& options);

  StepReport run(const ExpressionBatch& batch, const Loss& loss, Random& random);

  // The two halves of run(). Between them all gradients are complete, those of the parameters in one block
  // (network.parameters().gradients()) and those of the variables as rows: workers that train together add theirs up
  // there.
  StepReport compute(const ExpressionBatch& batch, const Loss& loss, Random& random);
  const SparseGradient& variable_gradient() const { return gradient_; }
  void update();

  // From now on the laws weigh so many times what the options say.
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
  RegularizerOptions regularizers_;  // those of the options, with the laws scaled
  PlanBuilder builder_;
  Plan plan_;
  NetworkRun run_;
  AlignedArray<float> d_scores_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sorted_rows_;
  AlignedArray<float> sorted_values_;
  SparseGradient gradient_;
};

}  // namespace linn
