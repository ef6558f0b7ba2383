// The memory of a backward pass: gradients of everything that the forward pass computed, and sums over its rows.
//
//   d_vectors        nodes x width          like ForwardMemory::vectors
//   d_projections    nodes x projections    like ForwardMemory::projections
//   d_gate_hidden    gates x hidden         of the first layers; each operand gathers it from its users
//   parameters       like the network's     the sum over all lanes
//
// Like the forward memory it grows to the largest batch so far and is not allocated again after that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/kernels/elementwise.h"
#include "linn/nn/forward_memory.h"
#include "linn/nn/lane_gradients.h"
#include "linn/nn/lanes.h"
#include "linn/nn/parameters.h"

namespace linn {

// Sums over the rows of a lane (lanes.h).
struct Lane {
  explicit Lane(const LogicNetwork& network);

  LaneGradients parameters;
  AlignedArray<float> d_constants;  // gradients of the projections of T and F, two rows
  AlignedArray<float> d_false;      // gradient of the vector F
  std::array<double, kLaws> laws{};
  double length = 0.0;
};

// Adds the products of vectors with the gradients of their projections to those of all first layers.
void add_projection_products(const LogicNetwork& network, LaneGradients& gradients, std::size_t rows,
                             const float* vectors, const float* d_projections);

// What one thread needs to take a block back: first layers are computed again, and laws go forward and back at once.
struct GradientScratch : ForwardScratch {
  explicit GradientScratch(const LogicNetwork& network);

  AlignedArray<float> d_hidden;         // the widest first layer
  AlignedArray<float> output, product;  // vectors
  AlignedArray<float> similarity;       // scratch of the similarity
  std::vector<std::uint32_t> users, used;

  // Of the laws.
  AlignedArray<float> scores, d_scores;                  // one per row
  AlignedArray<float> not_vector, d_not;                 // NOT(w)
  AlignedArray<float> not_hidden, not_not_hidden;        // the first layers of NOT(w) and NOT(NOT(w))
  AlignedArray<float> not_projection, d_not_projection;  // NOT(w) projected for NOT, AND and OR
  AlignedArray<float> law_projection, d_law_projection;  // w, where sampled laws project it themselves
};

// The vectors to which the laws are applied.
struct LawRows {
  std::vector<std::uint32_t> nodes;
  std::vector<std::uint32_t> negations;  // the node of NOT(w), where the batch has it
  std::vector<float> weights;
  std::vector<std::uint16_t> sides;  // bit i: law i takes its operands in reverse order
  void clear();
  void add(std::uint32_t node, float weight);
};

struct GradientMemory {
  GradientMemory(const LogicNetwork& pass_network, const ThreadPool& pool);

  // Sizes everything for the plan of a forward pass.
  void bind(const ForwardMemory& forward);

  float* d_vector(std::size_t node) { return d_vectors.data() + node * network.width(); }
  float* d_projection(std::size_t node) { return d_projections.data() + node * network.projections(); }

  // Where a lane sums the gradients of the parameters; null while the modules are fixed.
  LaneGradients* parameter_gradients(Lane& lane) const { return modules_learn ? &lane.parameters : nullptr; }
  // Adds the rows of a first layer's gradient to that of its bias.
  void add_bias_gradient(Lane& lane, std::size_t bias, std::size_t rows, std::size_t columns,
                         const float* gradient) const {
    if (modules_learn) add_rows(rows, columns, gradient, columns, lane.parameters.of(bias).data);
  }

  const LogicNetwork& network;
  bool modules_learn = true;  // false: only the variables get gradients

  ParameterGradients parameters;
  AlignedArray<float> d_vectors;
  AlignedArray<float> d_projections;
  AlignedArray<float> d_gate_hidden;
  AlignedArray<float> d_gate_left, d_gate_right;  // gates x width, for heads that use their operands
  AlignedArray<float> root_gradients;             // roots x width

  // Gradients of parameters are added up over the lanes part by part.
  struct Part {
    std::size_t parameter;
    std::size_t begin, end;  // columns
  };
  std::vector<Part> parts;

  LawRows negated_law_rows;  // vectors whose negation is in the batch
  LawRows other_law_rows;

  std::vector<Lane> lanes;
  std::vector<GradientScratch> scratch;  // by thread
};

}  // namespace linn
