// What the products of a pass read and write, element by element.
#pragma once

#include "linn/cuda/pass.h"

namespace linn::cuda {

// Row 0 is one node, and the others follow each other from another one.
struct NodeMap {
  u32 zero, rest;
  __host__ __device__ u32 operator()(u32 row) const { return row == 0 ? zero : rest + row - 1; }
};
inline NodeMap consecutive(u32 first) { return {first, first + 1}; }
struct ListedNodes {
  const u32* nodes;
  __device__ u32 operator()(u32 row) const { return nodes[row]; }
};

// --- Forward ---

struct VectorRows {
  Pass m;
  NodeMap node;
  __device__ float operator()(u32 row, u32 k, bool) const { return m.vector(node(row))[k]; }
};
struct ProjectionRows {
  Pass m;
  NodeMap node;
  __device__ void operator()(u32 row, u32 column, float value) const { m.projection(node(row))[column] = value; }
};

// f(N a + bias), and the output of NOT.
template <class Operand>
struct NegationHidden {
  Pass m;
  Operand operand;
  float* hidden;
  __device__ float operator()(u32 row, u32 k, bool first) const {
    const Shape& s = m.shape;
    const float x = m.projection(operand(row))[s.negation_offset + k] + m.weights.negation_bias[k];
    const float y = activated(s.negation_activation, x);
    if (first) hidden[std::size_t{row} * s.negation + k] = y;
    return y;
  }
};
struct NegationOut {
  Pass m;
  NodeMap node;
  float* out;  // row by node
  __device__ void operator()(u32 row, u32 column, float value) const {
    const float* bias = m.weights.negation_out_bias;
    out[std::size_t{node(row)} * m.shape.width + column] = bias != nullptr ? value + bias[column] : value;
  }
};

// The operands of the gates of a level.
struct LevelOperands {
  const u32* lefts;
  const u32* rights;
  __device__ u32 left(u32 row) const { return lefts[row]; }
  __device__ u32 right(u32 row) const { return rights[row]; }
};
// The operands of the gates of laws: w and, law by law, a constant, the other constant, w and NOT(w).
struct LawOperands {
  PlanView plan;
  u32 gate;
  __device__ bool swapped(u32 number, u32 r) const { return ((plan.law_sides[r] >> law_of(gate, number)) & 1U) != 0; }
  __device__ u32 operand(u32 row, bool right) const {
    const u32 number = row / plan.law_rows;
    const u32 r = row % plan.law_rows;
    if (swapped(number, r) == right) return plan.law_nodes[r];
    switch (number) {
      case 0:
        return gate == 0 ? kTrue : kFalse;
      case 1:
        return gate == 0 ? kFalse : kTrue;
      case 2:
        return plan.law_nodes[r];
      default:
        return plan.nodes + r;
    }
  }
  __device__ u32 left(u32 row) const { return operand(row, false); }
  __device__ u32 right(u32 row) const { return operand(row, true); }
};

// Rows of gates of one kind: those of a level, or of the laws of AND or OR.
struct GateRows {
  u32 gate = 0;
  u32 rows = 0;
  float* hidden = nullptr;
  float* d_left = nullptr;
  float* d_right = nullptr;
  float* out = nullptr;
  float* d_out = nullptr;
  float* d_sum = nullptr;
  float* shrink = nullptr;
};

// f(L a + R b + bias)
template <class Operands>
struct GateHidden {
  Pass m;
  GateRows g;
  Operands operands;
  __device__ float operator()(u32 row, u32 k, bool first) const {
    const Shape& s = m.shape;
    const float x = m.projection(operands.left(row))[s.offset[slot(g.gate, false)] + k] +
                    m.projection(operands.right(row))[s.offset[slot(g.gate, true)] + k] + m.weights.bias[g.gate][k];
    const float y = activated(s.gate_activation, x);
    if (first) g.hidden[std::size_t{row} * s.gate_stride + k] = y;
    return y;
  }
};
template <class Operands>
struct GateOut {
  Pass m;
  GateRows g;
  Operands operands;
  __device__ void operator()(u32 row, u32 column, float value) const {
    const float* bias = m.weights.out_bias[g.gate];
    if (bias != nullptr) value += bias[column];
    if (m.shape.kind[g.gate] == GateKind::kLeftResidual) value += m.vector(operands.left(row))[column];
    g.out[std::size_t{row} * m.shape.width + column] = value;
  }
};

// --- Backward ---

// d_hidden = slope * d
struct HiddenGradient {
  Activation activation;
  const float* hidden;
  float* d_hidden;
  u32 stride;
  __device__ void operator()(u32 row, u32 column, float value) const {
    const std::size_t at = std::size_t{row} * stride + column;
    d_hidden[at] = value * activation_slope(activation, hidden[at]);
  }
};

struct NodeGradientRows {
  Pass m;
  NodeMap node;
  __device__ float operator()(u32 row, u32 k, bool) const { return m.d_vector(node(row))[k]; }
};

// Sums over the gates of laws that have a constant as an operand, which are the same for all rows: the gradient of the
// constant's projection, of law 0 or 1 of a gate, where it is the right or the left operand.
__device__ inline float* constant_gradient(const Pass& m, u32 gate, u32 number, bool right) {
  return m.d_constants + ((gate * 2 + number) * 2 + (right ? 0 : 1)) * m.shape.gate_stride;
}
// Then, for heads that add their left operand, what F gets as such, by gate; then what F gets as what laws should give.
__host__ __device__ inline std::size_t false_operand_at(const Shape& s, u32 gate) {
  return std::size_t{8} * s.gate_stride + gate * s.width;
}
__host__ __device__ inline std::size_t false_target_at(const Shape& s) { return false_operand_at(s, 2); }
__host__ __device__ inline std::size_t constant_gradients(const Shape& s) { return false_target_at(s) + s.width; }
// The constant that law 0 or 1 of a gate joins with w.
__host__ __device__ inline u32 law_constant(u32 gate, u32 number) { return gate == number ? kTrue : kFalse; }

// What a node gets for element k of its projections, from its users in the batch, if asked, and in laws.
__device__ inline float projection_gradient(const Pass& m, u32 node, u32 k, bool with_users) {
  const Shape& s = m.shape;
  const PlanView& plan = m.plan;
  const u32 n = plan.law_rows;
  const bool own = node < plan.nodes;
  const u32 r = n == 0 ? kNone : own ? plan.law_row[node] : node - plan.nodes;
  float sum = 0.0F;
  if (k >= s.negation_offset) {
    const u32 c = k - s.negation_offset;
    if (!own) return m.d_law_double_hidden[std::size_t{r} * s.negation + c];
    if (node == kTrue) {
      sum = m.d_negation_hidden[c];
    } else if (node >= kFirstVariable && node < kFirstVariable + plan.negated) {
      sum = m.d_negation_hidden[std::size_t{node - kFirstVariable + 1} * s.negation + c];
    }
    if (r != kNone) sum += m.d_law_negation_hidden[std::size_t{r} * s.negation + c];
    return sum;
  }
  u32 at = 3;
  while (k < s.offset[at] || s.columns[at] == 0) --at;
  const u32 c = k - s.offset[at];
  const u32 gate = at / 2;
  const bool right = at % 2 == 1;
  const bool apart = right && s.kind[gate] == GateKind::kProduct;
  if (own && with_users) {
    const float* from = apart ? m.d_right : m.d_left;
    const u32 end = plan.use_starts[4 * node + at + 1];
    for (u32 use = plan.use_starts[4 * node + at]; use < end; ++use) {
      sum += from[std::size_t{plan.users[use] - plan.first_gate} * s.gate_stride + c];
    }
  }
  if (n == 0) return sum;
  const LawOperands laws = {plan, gate};
  const float* from = apart ? m.d_law_right : m.d_law_left;
  const auto law_gradient = [&](u32 number) {
    return from[(m.law_gate_row(gate) + std::size_t{number} * n + r) * s.gate_stride + c];
  };
  if (!own) return laws.swapped(3, r) != right ? law_gradient(3) : 0.0F;
  if (node <= kFalse) {
    const u32 number = law_constant(gate, 0) == node ? 0 : 1;
    return sum + constant_gradient(m, gate, number, right)[c];
  }
  if (r == kNone) return sum;
  for (u32 number = 0; number < kGateLaws; ++number) {
    if (number == 2 || laws.swapped(number, r) == right) sum += law_gradient(number);
  }
  return sum;
}

// What a node gets as the left operand of heads that add it, and F as what laws should give.
__device__ inline float operand_gradient(const Pass& m, u32 node, u32 column, bool with_users) {
  const Shape& s = m.shape;
  const PlanView& plan = m.plan;
  const u32 n = plan.law_rows;
  const bool own = node < plan.nodes;
  const u32 r = n == 0 ? kNone : own ? plan.law_row[node] : node - plan.nodes;
  float sum = n > 0 && node == kFalse ? m.d_constants[false_target_at(s) + column] : 0.0F;
  for (u32 gate = 0; gate < 2; ++gate) {
    if (s.kind[gate] != GateKind::kLeftResidual) continue;
    if (own && with_users) {
      const u32 at = 4 * node + slot(gate, false);
      for (u32 use = plan.use_starts[at]; use < plan.use_starts[at + 1]; ++use) {
        sum += m.d_sum[std::size_t{plan.users[use] - plan.first_gate} * s.width + column];
      }
    }
    if (n == 0) continue;
    if (node == kFalse) sum += m.d_constants[false_operand_at(s, gate) + column];
    if (r == kNone) continue;
    const LawOperands laws = {plan, gate};
    const auto law_gradient = [&](u32 number) {
      return m.d_law_out[m.law_gate_at(gate) + (std::size_t{number} * n + r) * s.width + column];
    };
    if (!own) {
      if (laws.swapped(3, r)) sum += law_gradient(3);
      continue;
    }
    for (u32 number = 0; number < kGateLaws; ++number) {
      if (number == 2 || !laws.swapped(number, r)) sum += law_gradient(number);
    }
  }
  return sum;
}

// Gathers the gradients of projections and keeps them for those of the weights; then what comes of them is added to the
// gradient of the vector.
struct ProjectionGradientRows {
  Pass m;
  NodeMap node;
  bool with_users;
  __device__ float operator()(u32 row, u32 k, bool first) const {
    const float value = projection_gradient(m, node(row), k, with_users);
    if (first) m.d_projection(node(row))[k] = value;
    return value;
  }
};
struct AddVectorGradient {
  Pass m;
  NodeMap node;
  bool with_users;
  __device__ void operator()(u32 row, u32 column, float value) const {
    m.d_vector(node(row))[column] += value + operand_gradient(m, node(row), column, with_users);
  }
};

}  // namespace linn::cuda
