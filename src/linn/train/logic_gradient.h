// The gradients of one plan of expressions: forward, loss and backward.
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
#include "linn/plan/plan_builder.h"

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

class LogicGradient {
 public:
  // The task's loss: takes one score per expression of the batch, writes their gradients and returns the loss.
  using Loss = std::function<double(std::span<const float> scores, std::span<float> d_scores)>;

  // All arguments must outlive it.
  LogicGradient(const LogicNetwork& network, const EmbeddingTable& variables, ThreadPool& pool,
                const LogicStepOptions& options);

  // The variables of the plan must be up to date.
  StepReport compute(const Plan& plan, const Loss& loss, Random& random, Modules modules);

  // Of the last plan: those of the parameters in one block, and those of the variables as rows.
  const ParameterGradients& parameters() const { return run_.parameter_gradients(); }
  SparseGradient variables() const { return {sorted_rows_, sorted_values_.data()}; }

  // Multiplies the weights of the laws, as given by the options, by the factor from now on.
  void scale_laws(float factor);
  const RegularizerOptions& regularizers() const { return regularizers_; }

 private:
  void sort_gradient(const Plan& plan);

  const LogicNetwork& network_;
  const EmbeddingTable& variables_;
  const LogicStepOptions& options_;
  RegularizerOptions regularizers_;  // with scaled laws
  GradientRun run_;
  AlignedArray<float> d_scores_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> sorted_rows_;
  AlignedArray<float> sorted_values_;
};

}  // namespace linn
