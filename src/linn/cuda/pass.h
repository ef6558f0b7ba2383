// What the kernels of a step see: the shape of the network, where its values and gradients lie, the plan, and the
// arrays of the step. All of it is passed to kernels by value.
//
// The device has a layout of its own. A gate with structure product, (a P) * (b Q), has P and Q where others have the
// two halves of their first layer: among the projections. So every gate begins with a row that was projected for its
// left operand and one for its right, and the five matrices stand side by side as in LogicNetwork.
//
// Laws are applied to rows w. Whether the batch has NOT(w) or not, laws compute one of their own: node nodes + r is
// NOT(w_r), and has vectors and projections like all nodes. So a gate of a law is a gate like any other, between w and
// one of T, F, w and NOT(w).
#pragma once

#include "linn/cuda/runtime.h"
#include "linn/nn/network_options.h"

namespace linn::cuda {

inline constexpr u32 kTrue = 0;
inline constexpr u32 kFalse = 1;
inline constexpr u32 kFirstVariable = 2;
inline constexpr u32 kNone = 0xFFFFFFFFU;
inline constexpr u32 kGateLaws = 4;  // identity, annihilator, idempotence, complement: of AND, and of OR

enum class GateKind : std::uint8_t { kMlp, kLeftResidual, kProduct };

struct Shape {
  u32 width = 0;
  u32 projections = 0;  // length of a row of projections
  u32 columns[4] = {};  // of each slot
  u32 offset[4] = {};   // of each slot
  u32 gate_stride = 0;  // between the rows of what gates have in their first layer
  u32 negation = 0;     // hidden units of NOT
  u32 negation_offset = 0;
  GateKind kind[2] = {};
  Activation gate_activation = Activation::kRelu;
  Activation negation_activation = Activation::kRelu;
  float bound = 0.0F;  // of left_residual
  float alpha = 0.0F;
  bool dot = false;  // the task compares by the dot product, laws always by the cosine
};

// Values or gradients of the parameters, in one block.
struct Weights {
  float* projection = nullptr;  // width x projections
  float* bias[2] = {};          // of the first layers of AND and OR
  float* out[2] = {};
  float* out_bias[2] = {};  // null: none
  float* negation_bias = nullptr;
  float* negation_out = nullptr;
  float* negation_out_bias = nullptr;
};

struct PlanView {
  u32 nodes = 0;
  u32 variables = 0;
  u32 negated = 0;
  u32 first_negation = 0;
  u32 first_gate = 0;
  u32 gates = 0;
  u32 law_rows = 0;
  u32 roots = 0;       // expressions
  u32 root_nodes = 0;  // distinct
  const u32* variable_rows = nullptr;
  const u32* left = nullptr;
  const u32* right = nullptr;
  const u32* use_starts = nullptr;
  const u32* users = nullptr;
  const float* counts = nullptr;  // by node: how much it counts in the length term
  // Laws.
  const u32* law_row = nullptr;  // by node; kNone: not chosen
  const u32* law_nodes = nullptr;
  const u32* law_sides = nullptr;
  const float* law_weights = nullptr;
  // Roots, and which expressions have each distinct one.
  const u32* root_node = nullptr;
  const u32* root_starts = nullptr;
  const u32* root_items = nullptr;
  const u32* root_of = nullptr;  // by expression: its place among the distinct ones
};

struct Pass {
  Shape shape;
  Weights weights;
  const float* true_vector = nullptr;
  PlanView plan;
  float law_scale[kLaws] = {};  // weights of the laws
  float length = 0.0F;
  bool squared_length = true;
  float dropout = 0.0F;
  std::uint64_t dropout_seed = 0;

  // (nodes + law rows) x width, and x projections.
  float* vectors = nullptr;
  float* projections = nullptr;
  float* d_vectors = nullptr;
  float* d_projections = nullptr;
  // By gate: the first layer, its gradients for the left and the right operand (the same where both are added), the
  // gradient of the output before its length was bounded, and by how much it was shortened.
  float* hidden = nullptr;
  float* d_left = nullptr;
  float* d_right = nullptr;
  float* d_sum = nullptr;
  float* shrink = nullptr;
  // Negations of the batch, F first.
  float* negation_hidden = nullptr;
  float* d_negation_hidden = nullptr;
  // Laws: first layers and outputs, each law's rows in turn.
  float* law_negation_hidden = nullptr;  // NOT(w)
  float* d_law_negation_hidden = nullptr;
  float* law_double_hidden = nullptr;  // NOT(NOT(w))
  float* d_law_double_hidden = nullptr;
  float* law_hidden = nullptr;  // 4 laws of AND, then 4 of OR
  float* d_law_left = nullptr;
  float* d_law_right = nullptr;
  float* law_shrink = nullptr;
  float* law_out = nullptr;      // NOT(NOT(w)), AND, OR: 9 times law rows
  float* d_law_out = nullptr;    // before their lengths were bounded, once laws_backward() has been through
  float* d_false = nullptr;      // law rows x width: of F as what a law should give
  float* law_sides = nullptr;    // 4 laws with a constant x law rows x 2: 1 where it is on the right, on the left
  float* d_constants = nullptr;  // sums over rows, see constant_gradient()
  float* law_values = nullptr;   // kLaws x (law rows + 1)
  float* length_values = nullptr;

  __host__ __device__ float* vector(std::size_t node) const { return vectors + node * shape.width; }
  __host__ __device__ float* d_vector(std::size_t node) const { return d_vectors + node * shape.width; }
  __host__ __device__ float* projection(std::size_t node) const { return projections + node * shape.projections; }
  __host__ __device__ float* d_projection(std::size_t node) const { return d_projections + node * shape.projections; }
  // The parts of law_out, law_hidden and so on.
  __host__ __device__ std::size_t law_gate_row(u32 gate) const { return std::size_t{gate} * kGateLaws * plan.law_rows; }
  __host__ __device__ std::size_t law_gate_at(u32 gate) const {
    return (plan.law_rows + law_gate_row(gate)) * shape.width;
  }
};

__host__ __device__ inline u32 slot(u32 gate, bool right) { return 2 * gate + (right ? 1 : 0); }
__host__ __device__ inline u32 law_of(u32 gate, u32 number) { return kAndIdentity + gate * kGateLaws + number; }

__host__ __device__ inline float activated(Activation activation, float x) {
  switch (activation) {
    case Activation::kLeakyRelu:
      return x > 0.0F ? x : 0.01F * x;
    case Activation::kTanh:
      return tanhf(x);
    case Activation::kRelu:
      break;
  }
  return x > 0.0F ? x : 0.0F;
}

// f'(x) where y = f(x)
__host__ __device__ inline float activation_slope(Activation activation, float y) {
  switch (activation) {
    case Activation::kLeakyRelu:
      return y > 0.0F ? 1.0F : 0.01F;
    case Activation::kTanh:
      return 1.0F - y * y;
    case Activation::kRelu:
      break;
  }
  return y > 0.0F ? 1.0F : 0.0F;
}

// Inverted dropout by a hash of place and seed (splitmix64), so that going back draws the same again.
__host__ __device__ inline float dropout_factor(std::uint64_t seed, std::uint64_t place, float rate) {
  std::uint64_t x = seed + place * 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30U)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27U)) * 0x94D049BB133111EBU;
  x ^= x >> 31U;
  const auto uniform = static_cast<float>(x >> 40U) * 0x1p-24F;
  return uniform < rate ? 0.0F : 1.0F / (1.0F - rate);
}

}  // namespace linn::cuda
