// The memory that a step works in, bound to a plan before it runs. It grows to the largest batch it has met and is not
// allocated again after that.
//
// Results must not depend on the number of threads. So rows are always cut into the same lanes, whoever works on them;
// what is summed over rows (gradients of parameters, the value of a law) is summed within a lane in order, and the
// lanes are added up in order at the end.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/kernels/rows.h"
#include "linn/nn/logic_network.h"
#include "linn/plan/plan.h"

namespace linn {

inline constexpr std::size_t kLaneCount = 8;

// Rows that go through gather, both layers, similarity and back before the next ones are touched, so that all of it
// stays in a core's own cache.
inline constexpr std::size_t kBlockRows = 96;

struct RowRange {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

// The product kernel takes six rows at a time; parts of lanes are multiples of that.
inline constexpr std::size_t kKernelRows = 6;

// How many lanes share so many rows, and the part of each. The parts differ by one block of the kernel at most, so that
// an even number of threads has even work.
std::size_t lanes_for(std::size_t rows);
RowRange lane_rows(std::size_t rows, std::size_t lane);

// Sums over the rows of a lane.
struct Lane {
  AlignedArray<float> parameters;   // laid out like the network's parameters
  AlignedArray<float> projection;   // gradient of the matrix of projections
  AlignedArray<float> d_constants;  // gradients of the projections of T and F, two rows
  AlignedArray<float> d_false;      // gradient of the vector F
  std::array<double, kLaws> laws{};
  double length = 0.0;
};

// What one thread needs while it works on a block.
struct BlockScratch {
  AlignedArray<float> gathered;           // vectors picked from the batch
  AlignedArray<float> hidden, d_hidden;   // the widest first layer
  AlignedArray<float> output, product;    // vectors
  AlignedArray<float> head, similarity;   // scratch of their own
  AlignedArray<float> scores, d_scores;   // one a row
  AlignedArray<float> not_vector, d_not;  // of the laws: NOT(w)
  AlignedArray<float> not_hidden, not_not_hidden;
  AlignedArray<float> not_projection, d_not_projection;  // NOT(w) projected for NOT, AND and OR
  AlignedArray<float> law_projection, d_law_projection;  // w, where the laws project on their own
  std::vector<std::uint32_t> rows, users, used;
};

// Nodes next to each other that are computed and projected alike.
struct Segment {
  enum class Kind : std::uint8_t { kVariables, kNegations, kGates };
  Kind kind = Kind::kVariables;
  Gate gate = Gate::kAnd;
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  bool project_all = false;       // every projection of every node, for laws on all of them
  bool project_negation = false;  // the nodes are negated in the batch
};

// A vector that the laws are applied to.
struct LawRows {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> negations;  // the node of NOT(w), where the batch has it
  std::vector<float> weights;
  std::vector<std::uint16_t> sides;  // bit i: law i takes its operands the other way round
  void clear();
  void add(std::uint32_t node, float weight);
};

struct StepMemory {
  StepMemory(LogicNetwork& step_network, ThreadPool& step_pool);

  // Sizes everything for a plan.
  void bind(const Plan& step_plan, const RegularizerOptions* step_regularizers);

  float* vector(std::size_t node) { return vectors.data() + node * network.width(); }
  float* d_vector(std::size_t node) { return d_vectors.data() + node * network.width(); }
  float* projection(std::size_t node) { return projections.data() + node * network.projections(); }
  float* d_projection(std::size_t node) { return d_projections.data() + node * network.projections(); }

  // Where a lane adds up the gradients of the parameters; null where the modules are fixed and nobody wants them.
  float* parameter_gradients(Lane& lane) { return modules_learn ? lane.parameters.data() : nullptr; }
  // Adds the rows of a first layer's gradient to that of its bias.
  void add_bias_gradient(Lane& lane, std::size_t bias_offset, std::size_t rows, std::size_t columns,
                         const float* gradient) {
    if (modules_learn) add_rows(rows, columns, gradient, columns, lane.parameters.data() + bias_offset);
  }

  // Calls work(lane, scratch, begin, end) for blocks of at most kBlockRows rows, in order within a lane.
  template <class Work>
  void for_each_block(std::size_t rows, Work&& work) {
    if (rows == 0) return;
    pool.run(lanes_for(rows), [&](std::size_t lane, std::size_t thread) {
      const RowRange part = lane_rows(rows, lane);
      for (std::size_t begin = part.begin; begin < part.end; begin += kBlockRows) {
        work(lanes[lane], scratch[thread], begin, std::min(begin + kBlockRows, part.end));
      }
    });
  }

  LogicNetwork& network;
  ThreadPool& pool;
  const Plan* plan = nullptr;
  const RegularizerOptions* regularizers = nullptr;  // none: nothing but the task
  std::vector<Segment> segments;                     // in the order in which they can be computed

  AlignedArray<float> vectors, d_vectors;          // a row a node
  AlignedArray<float> projections, d_projections;  // a row a node
  AlignedArray<float> d_gate_hidden;               // a row a gate
  AlignedArray<float> d_gate_left, d_gate_right;   // a row a gate, for heads that use their operands
  AlignedArray<float> dropout;                     // a row a variable, if there is dropout
  AlignedArray<float> scores, root_gradients, root_scratch;
  bool has_dropout = false;
  bool modules_learn = true;  // false: only the variables get gradients
  // Laws on every vector want every projection of every node, which the forward pass then makes. Laws on a share of
  // them project what they need on their own.
  bool laws_project = false;

  LawRows negated_law_rows;  // vectors whose negation is in the batch
  LawRows other_law_rows;

  std::vector<Lane> lanes;
  std::vector<BlockScratch> scratch;  // by thread
};

}  // namespace linn
