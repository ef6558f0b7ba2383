// Forward and backward passes over a plan, on the device: what forward_pass.h, law_pass.h and backward_pass.h do.
#pragma once

#include <vector>

#include "linn/cuda/functors.h"
#include "linn/cuda/product.h"
#include "linn/nn/gradient_memory.h"
#include "linn/plan/plan.h"

namespace linn::cuda {

// The index arrays of a batch, made on the CPU and copied in one piece.
class PlanUpload {
 public:
  // Adds what the passes need to the staging memory. The plan and the rows of laws must last until it is sent. Without
  // regularizers there is no backward pass.
  void add(const Plan& plan, const RegularizerOptions* regularizers, const LawRows* negated, const LawRows* other,
           Staging& staging);
  // After send().
  PlanView view(const Staging& staging) const;
  const u32* gates_of(const Staging& staging, u32 gate) const { return staging.at<u32>(gate_lists_at_[gate]); }
  u32 gate_count(u32 gate) const { return static_cast<u32>(gate_lists_[gate].size()); }
  const u32* negation_nodes(const Staging& staging) const { return staging.at<u32>(negation_nodes_at_); }

  // Whether all gates are ORs in chains from F on, whose other operands are no gates; then by chain its gates in order.
  bool is_chains() const { return chains_ > 0; }
  u32 chains() const { return chains_; }
  const u32* chain_starts(const Staging& staging) const { return staging.at<u32>(chain_starts_at_); }
  const u32* chain_gates(const Staging& staging) const { return staging.at<u32>(chain_gates_at_); }

 private:
  void find_roots(const Plan& plan);
  void find_chains(const Plan& plan);

  PlanView view_;
  std::vector<float> counts_, law_weights_;
  std::vector<u32> law_row_, law_nodes_, law_sides_;
  std::vector<u32> root_node_, root_starts_, root_items_, root_of_, root_place_;
  std::vector<u32> gate_lists_[2];
  std::vector<u32> negation_nodes_;
  std::vector<u32> chain_of_, chain_starts_, chain_gates_, chain_fill_;
  u32 chains_ = 0;
  std::size_t variable_rows_at_ = 0, left_at_ = 0, right_at_ = 0, use_starts_at_ = 0, users_at_ = 0, counts_at_ = 0;
  std::size_t law_row_at_ = 0, law_nodes_at_ = 0, law_sides_at_ = 0, law_weights_at_ = 0;
  std::size_t root_node_at_ = 0, root_starts_at_ = 0, root_items_at_ = 0, root_of_at_ = 0;
  std::size_t gate_lists_at_[2] = {};
  std::size_t negation_nodes_at_ = 0, chain_starts_at_ = 0, chain_gates_at_ = 0;
};

class LogicPass {
 public:
  // Kernels for whole chains may use so many bytes of shared memory.
  LogicPass(const Stream& stream, u32 shared_limit) : stream_(stream), shared_limit_(shared_limit) {}

  // Sizes the memory for a plan that was sent. `m` has the shape, the weights, the plan and the options of the step.
  void bind(const Pass& m, const Plan& plan, const PlanUpload& upload, const Staging& staging, bool backward);
  const Pass& pass() const { return m_; }

  // `gathered`: the table has one row for each variable of the plan, in that order.
  void forward(const float* table, bool gathered = false);
  // By expression.
  const float* scores();
  // Sets the gradients of all vectors to those of the length term, and those of the roots' scores, by expression, or
  // vectors, which are added.
  void begin_backward();
  void add_score_gradients(const float* d_scores);
  void add_root_gradients(const float* d_roots);
  // The rest, down to the gradients of the variables, at d_vector(kFirstVariable). Those of the parameters are added to
  // `gradients`; null: not wanted.
  void backward(const Weights* gradients);
  // Rows of chains: for tests, whether the kernel for whole chains is used.
  bool uses_chains() const { return chains_; }
  void avoid_chains() { avoid_chains_ = true; }

 private:
  bool has_laws() const;
  void project(NodeMap node, u32 rows);
  template <class Operand>
  void negate(u32 rows, const Operand& operand, float* hidden, NodeMap to, float* out);
  template <class Operands>
  void gates(const GateRows& rows, const Operands& operands);
  template <class Operands>
  void gates_backward(const GateRows& rows, const Operands& operands);
  void negation_backward(u32 rows, NodeMap node, const float* d_out, const float* hidden, float* d_hidden);
  void projections_backward(NodeMap node, u32 rows, bool with_users);
  GateRows level_rows(const Plan::Level& level) const;
  LevelOperands level_operands(const Plan::Level& level) const;
  GateRows law_rows(u32 gate) const;
  void laws_forward();
  void laws_backward();
  void sum_constants();
  void fold();
  void fold_backward();
  void parameter_gradients(const Weights& gradients);

  const Stream& stream_;
  u32 shared_limit_;
  Pass m_;
  const Plan* plan_ = nullptr;
  const u32* gate_lists_[2] = {};
  u32 gate_counts_[2] = {};
  const u32* negation_nodes_ = nullptr;
  const u32* chain_starts_ = nullptr;
  const u32* chain_gates_ = nullptr;
  u32 chain_count_ = 0;
  bool chains_ = false;
  bool avoid_chains_ = false;
  SumOfProducts sums_;
  // The arrays of Pass.
  std::vector<Buffer<float>> buffers_;
  std::size_t next_buffer_ = 0;
  float* array(std::size_t size);
  Buffer<float> root_scores_, scores_, transposed_;
};

}  // namespace linn::cuda
