// The memory of a forward pass, bound to a plan before the pass runs.
//
//   vectors        nodes x width          one row per node of the plan
//   projections    nodes x projections    what gates, NOT and laws need of L w, R w (of AND, of OR) and N w
//   scores         roots                  the similarity of each expression to T, before the sigmoid
//
// The caller owns it, so any number of threads can evaluate one network at once, each with its own memory. It grows to
// the largest batch so far and is not allocated again after that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/lanes.h"
#include "linn/nn/logic_network.h"
#include "linn/plan/plan.h"

namespace linn {

// Consecutive nodes that are computed and projected in the same way.
struct Segment {
  enum class Kind : std::uint8_t { kVariables, kNegations, kGates };
  Kind kind = Kind::kVariables;
  Gate gate = Gate::kAnd;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool project_all = false;       // every projection of every node, for laws on all of them
  bool project_negation = false;  // the batch negates the nodes
};

// What one thread needs to compute a block of nodes.
struct ForwardScratch {
  // Enough for `rows` rows of the network.
  void reshape(const LogicNetwork& network, std::size_t rows);

  AlignedArray<float> gathered;  // vectors picked from the batch
  AlignedArray<float> hidden;    // the widest first layer
  AlignedArray<float> head;      // scratch of the heads
  std::vector<std::uint32_t> rows;
};

struct ForwardMemory {
  ForwardMemory(const LogicNetwork& pass_network, ThreadPool& pass_pool);

  // Sizes everything for a plan. The regularizers are those that the backward pass will add: laws on every vector need
  // every projection of every node. Null stands for the task alone.
  void bind(const Plan& pass_plan, const RegularizerOptions* pass_regularizers);

  float* vector(std::size_t node) { return vectors.data() + node * network.width(); }
  const float* vector(std::size_t node) const { return vectors.data() + node * network.width(); }
  float* projection(std::size_t node) { return projections.data() + node * network.projections(); }
  const float* projection(std::size_t node) const { return projections.data() + node * network.projections(); }

  const LogicNetwork& network;
  ThreadPool& pool;
  const Plan* plan = nullptr;
  const RegularizerOptions* regularizers = nullptr;
  std::vector<Segment> segments;  // in the order in which they can be computed

  AlignedArray<float> vectors;
  AlignedArray<float> projections;
  AlignedArray<float> scores;
  AlignedArray<float> root_scratch;  // of the similarity; its backward pass needs it
  AlignedArray<float> dropout;       // variables x width: the factors, if there is dropout
  bool has_dropout = false;

  std::vector<ForwardScratch> scratch;  // by thread
};

}  // namespace linn
