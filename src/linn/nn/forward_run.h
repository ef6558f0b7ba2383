// Evaluates plans with a network. The network is only read and the run owns its memory, so any number of runs can share
// one network, each in its own thread.
//
//   ForwardRun run(network, pool);
//   auto scores = run.forward(plan, table);
//
// A run that also trains is a GradientRun.
#pragma once

#include <cstdint>
#include <span>

#include "linn/base/thread_pool.h"
#include "linn/nn/forward_memory.h"

namespace linn {

class ForwardRun {
 public:
  ForwardRun(const LogicNetwork& network, ThreadPool& pool) : memory_(network, pool) {}

  // `table` has a row of the network's width for every variable of the vocabulary. Returns the score of each root: its
  // truth is the sigmoid of the score. The result is valid until the next call.
  std::span<const float> forward(const Plan& plan, const float* table);

  // The same without the scores.
  void forward_vectors(const Plan& plan, const float* table);

  // After either: the vector of a node.
  std::span<const float> vector(std::uint32_t node) const { return {memory_.vector(node), memory_.network.width()}; }

 private:
  ForwardMemory memory_;
};

}  // namespace linn
