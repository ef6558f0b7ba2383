// One step of a network over a plan: forward, the loss between, and back.
//
//   NetworkRun run(network, pool);
//   auto scores = run.forward(plan, table, {.regularizers = &regularizers});
//   double loss = cross_entropy(scores, labels, 0.0, d_scores);
//   run.backward(d_scores, &random);      // gradients in network.parameters() and run.variable_gradients()
//
// A plan says what is computed, StepMemory where it lies, the passes do it. Another device takes the same plan and has
// its own memory and passes.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/backward_pass.h"
#include "linn/nn/forward_pass.h"
#include "linn/nn/logic_network.h"
#include "linn/nn/step_memory.h"
#include "linn/plan/plan.h"

namespace linn {

struct ForwardOptions {
  // Laws and lengths that backward() will add; none: nothing but the task.
  const RegularizerOptions* regularizers = nullptr;
  DropoutOptions dropout = {};
};

struct RegularizerValues {
  std::array<double, kLaws> laws{};  // the sum of each law over all vectors, not weighted
  double length = 0.0;               // the sum of the (squared) norms, not weighted
};

// Temporary.
class ForwardRun {
 public:
  ForwardRun(const LogicNetwork& network, ThreadPool& pool) : memory_(const_cast<LogicNetwork&>(network), pool) {}
  std::span<const float> forward(const Plan& plan, const float* table) {
    memory_.bind(plan, nullptr);
    forward_pass(memory_, table, {});
    return memory_.scores.span();
  }
  std::span<const float> vector(std::uint32_t node) const {
    return memory_.vectors.span().subspan(node * memory_.network.width(), memory_.network.width());
  }

 private:
  StepMemory memory_;
};

class NetworkRun {
 public:
  NetworkRun(LogicNetwork& network, ThreadPool& pool) : memory_(network, pool) {}

  // `table`: a row of the network's width for every variable of the vocabulary. The plan, the table and the
  // regularizers must stay until backward(). Returns the score of each root: sigmoid of it is its truth.
  std::span<const float> forward(const Plan& plan, const float* table, const ForwardOptions& options = {});

  // Adds to the gradients of the network's parameters, unless these are fixed. `random` draws the laws' operand orders
  // and, if the laws are sampled, their vectors; without it orders are as in the table of laws.
  void backward(std::span<const float> d_scores, Random* random, Modules modules = Modules::kLearn);

  // After backward(): a row for each of plan.variables, in that order.
  std::span<const float> variable_gradients() const;

  // After backward().
  RegularizerValues regularizer_values() const;

  // After forward(): the vector of a node.
  std::span<const float> vector(std::uint32_t node) const;

  const StepMemory& memory() const { return memory_; }

 private:
  StepMemory memory_;
};

}  // namespace linn
