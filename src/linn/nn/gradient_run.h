// One training step of a network over a plan: forward, the loss in between, and back.
//
//   GradientRun run(network, pool);
//   auto scores = run.forward(plan, table, {.regularizers = &regularizers});
//   double loss = cross_entropy(scores, labels, 0.0, d_scores);
//   run.backward(d_scores, &random);      // gradients in run.parameter_gradients() and run.variable_gradients()
//
// A plan says what is computed, ForwardMemory and GradientMemory where it lies, and the passes compute it. Another
// device takes the same plan and has its own memory and passes.
#pragma once

#include <array>
#include <span>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/backward_pass.h"
#include "linn/nn/forward_pass.h"
#include "linn/nn/gradient_memory.h"

namespace linn {

struct ForwardOptions {
  // Laws and lengths that backward() will add; null stands for the task alone.
  const RegularizerOptions* regularizers = nullptr;
  DropoutOptions dropout = {};
};

struct RegularizerValues {
  std::array<double, kLaws> laws{};  // the sum of each law over all vectors, not weighted
  double length = 0.0;               // the sum of the (squared) norms, not weighted
};

class GradientRun {
 public:
  GradientRun(const LogicNetwork& network, ThreadPool& pool) : forward_(network, pool), gradients_(network, pool) {}

  // As ForwardRun::forward. The plan, the table and the regularizers must stay until backward().
  std::span<const float> forward(const Plan& plan, const float* table, const ForwardOptions& options = {});

  // `random` draws the order of the laws' operands and, if the laws are sampled, their vectors; without it the operands
  // are in the order of the table of laws.
  void backward(std::span<const float> d_scores, Random* random, Modules modules = Modules::kLearn);

  // The same for a loss of the roots' vectors, one row per root, instead of their scores.
  RowSource forward_vectors(const Plan& plan, const float* table, const ForwardOptions& options = {});
  void backward_vectors(const float* d_roots, Random* random, Modules modules = Modules::kLearn);

  // After backward(): laid out like the network's parameters; zero where the modules are fixed.
  const ParameterGradients& parameter_gradients() const { return gradients_.parameters; }
  ParameterGradients& parameter_gradients() { return gradients_.parameters; }
  // After backward(): one row for each of plan.variables, in that order.
  std::span<const float> variable_gradients() const;
  // After backward().
  RegularizerValues regularizer_values() const;

  const ForwardMemory& forward_memory() const { return forward_; }
  const GradientMemory& gradient_memory() const { return gradients_; }

 private:
  ForwardMemory forward_;
  GradientMemory gradients_;
};

}  // namespace linn
