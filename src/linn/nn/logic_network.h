// The learned modules AND, OR and NOT, with T and the similarity. Once prepared, a const network can be evaluated from
// any number of threads: every pass brings its own memory.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <memory>
#include <span>

#include "linn/base/aligned.h"
#include "linn/base/random.h"
#include "linn/nn/head.h"
#include "linn/nn/network_options.h"
#include "linn/nn/parameters.h"
#include "linn/nn/similarity.h"
#include "linn/plan/plan.h"

namespace linn {

// With the first layer of AND split by operand, H1 = [L | R],
//
//   AND(a, b) = head(f(L a + R b + bias)),   OR likewise,   NOT(a) = head(f(N a + bias))
//
// so a vector is projected by L and R of AND, L and R of OR, and N once, whatever uses it. The five matrices stand side
// by side in one, in the order of Slot and then N: projecting is one product.
class LogicNetwork {
 public:
  explicit LogicNetwork(const NetworkOptions& options);

  // All parameters from N(0, deviation); T uniform in (0, 1), fixed from then on.
  void initialize(Random& random, float deviation = 0.01F);

  // Weights from N(0, 2 / (inputs + outputs)) and biases 0, for modules in long chains.
  void initialize_glorot(Random& random);

  // Close to OR(a, b) = 0.9 a + b and AND(a, b) = a * b, element by element, with all elements of T = 1: a chain of ORs
  // starts as a sum that slowly forgets, and the truth of AND as a dot product, so what is true together with the chain
  // is what resembles its parts. To learn that from random values, small data is not enough. For networks that
  // can_start_linear().
  void initialize_linear(Random& random);

  // Call it after parameters or T have changed, before the network is used.
  void prepare();

  const NetworkOptions& options() const { return options_; }
  std::size_t width() const { return options_.width; }
  // The width of the first hidden layer of AND or OR: the same for both, or 0 for a gate that has none.
  std::size_t hidden(Gate gate) const { return gate_hidden_[gate == Gate::kOr ? 1 : 0]; }
  std::size_t hidden(Slot slot) const { return hidden(gate_of(slot)); }
  std::size_t widest_hidden() const { return std::max({hidden(Gate::kAnd), hidden(Gate::kOr), negation_hidden_}); }
  std::size_t negation_hidden() const { return negation_hidden_; }

  // The offset of a slot's projection, or NOT's, in a row of projections, and the length of that row.
  std::size_t slot_offset(Slot slot) const {
    const bool is_or = gate_of(slot) == Gate::kOr;
    return (is_or ? 2 * hidden(Gate::kAnd) : 0) + (slot_of(gate_of(slot), true) == slot ? hidden(slot) : 0);
  }
  // The parameter that projects operands of that slot; none if the gate has no hidden layer.
  std::size_t projection_of(Slot slot) const {
    const GateModule& module = gate(gate_of(slot));
    assert(hidden(slot) > 0);
    return slot_of(gate_of(slot), true) == slot ? module.right : module.left;
  }
  std::size_t negation_offset() const { return 2 * (hidden(Gate::kAnd) + hidden(Gate::kOr)); }
  std::size_t projections() const { return negation_offset() + negation_hidden_; }

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  std::span<float> true_vector() { return true_.span(); }
  std::span<const float> true_vector() const { return true_.span(); }

  // width x projections, and its transpose.
  const float* projection() const { return projection_.data(); }
  const float* projection_transposed() const { return projection_transposed_.data(); }

  struct GateModule {
    std::size_t left = 0, right = 0, bias = 0;  // parameters; none without a hidden layer
    const float* bias_value = nullptr;
    std::unique_ptr<Head> head;
  };
  const GateModule& gate(Gate gate) const { return gates_[gate == Gate::kOr ? 1 : 0]; }

  struct NegationModule {
    std::size_t in = 0, bias = 0;  // parameters
    const float* bias_value = nullptr;
    std::unique_ptr<Head> head;
  };
  const NegationModule& negation() const { return negation_; }
  const Similarity& similarity() const { return *similarity_; }
  // How laws compare vectors: like similarity(), but by cosine where that is the dot product, under which longer
  // vectors satisfy laws better.
  const Similarity& law_similarity() const { return law_similarity_ ? *law_similarity_ : *similarity_; }

 private:
  // Calls use(parameter, offset, columns) for every part of projection().
  template <class Use>
  void for_each_part(const Use& use) const;

  NetworkOptions options_;
  std::array<std::size_t, 2> gate_hidden_;
  std::size_t negation_hidden_;
  ParameterSet parameters_;
  std::array<GateModule, 2> gates_;
  NegationModule negation_;
  std::unique_ptr<Similarity> similarity_;
  std::unique_ptr<Similarity> law_similarity_;  // null: similarity_
  AlignedArray<float> true_;
  AlignedArray<float> projection_;
  AlignedArray<float> projection_transposed_;
};

// Whether AND has a product and OR is left_residual with one hidden layer of relus.
bool can_start_linear(const NetworkOptions& options);

}  // namespace linn
