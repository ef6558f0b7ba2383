#include "linn/nn/logic_network.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/kernels/rows.h"

namespace linn {

LogicNetwork::LogicNetwork(const NetworkOptions& options)
    : options_(options),
      gate_hidden_{options.gate_hidden(Gate::kAnd), options.gate_hidden(Gate::kOr)},
      negation_hidden_(options.negation_hidden()),
      true_(options.width) {
  const std::size_t d = options.width;
  for (const Gate kind : {Gate::kAnd, Gate::kOr}) {
    GateModule& module = gates_[kind == Gate::kOr ? 1 : 0];
    const std::string name = kind == Gate::kOr ? "or" : "and";
    if (hidden(kind) > 0) {
      module.left = parameters_.add(name + ".left", d, hidden(kind));
      module.right = parameters_.add(name + ".right", d, hidden(kind));
      module.bias = parameters_.add(name + ".bias", 1, hidden(kind), ParameterKind::kBias);
    }
    module.head = make_gate_head(options, kind, name, parameters_);
  }
  negation_.in = parameters_.add("not.in", d, negation_hidden_);
  negation_.bias = parameters_.add("not.bias", 1, negation_hidden_, ParameterKind::kBias);
  negation_.head = make_negation_head(options, "not", parameters_);
  similarity_ = make_similarity(options, parameters_);
  if (options.similarity == SimilarityKind::kDot) {
    NetworkOptions by_cosine = options;
    by_cosine.similarity = SimilarityKind::kCosine;
    law_similarity_ = make_similarity(by_cosine, parameters_);
  }
  projection_.reshape(d * projections());
  projection_transposed_.reshape(d * projections());
}

void LogicNetwork::initialize(Random& random, float deviation) {
  parameters_.initialize_normal(random, deviation);
  for (float& value : true_.span()) value = static_cast<float>(random.uniform());
  prepare();
}

void LogicNetwork::initialize_glorot(Random& random) {
  parameters_.initialize_glorot(random);
  for (float& value : true_.span()) value = static_cast<float>(random.uniform());
  prepare();
}

bool can_start_linear(const NetworkOptions& options) {
  const Structure conjunction = options.structure(Gate::kAnd);
  return (conjunction == Structure::kProduct || conjunction == Structure::kMlpProduct) &&
         options.structure(Gate::kOr) == Structure::kLeftResidual && options.gate.depth == 1 &&
         options.gate.activation == Activation::kRelu;
}

void LogicNetwork::initialize_linear(Random& random) {
  assert(can_start_linear(options_));
  constexpr float kNoise = 0.1F;
  constexpr float kForgotten = 0.1F;
  parameters_.initialize_glorot(random);
  for (float& value : parameters_.values()) value *= kNoise;
  const auto add_to_diagonal = [&](std::string_view name, float value) {
    const MatrixView matrix = parameters_.value(parameters_.find(name));
    for (std::size_t i = 0; i < width(); ++i) matrix.row(i)[i] += value;
  };
  add_to_diagonal("and.product_left", 1.0F);
  add_to_diagonal("and.product_right", 1.0F);
  // x = relu(x) - relu(-x): two hidden units for each dimension, as far as there are as many.
  const GateModule& module = gate(Gate::kOr);
  const MatrixView left = parameters_.value(module.left);
  const MatrixView right = parameters_.value(module.right);
  const MatrixView out = parameters_.value(parameters_.find("or.out"));
  for (std::size_t i = 0; i < std::min(width(), hidden(Gate::kOr) / 2); ++i) {
    for (const auto& [unit, sign] : {std::pair(2 * i, 1.0F), std::pair(2 * i + 1, -1.0F)}) {
      left.row(i)[unit] -= sign * kForgotten;
      right.row(i)[unit] += sign;
      out.row(unit)[i] += sign;
    }
  }
  // With random elements of T, a dimension would count for as much as chance has it, for good.
  std::ranges::fill(true_.span(), 1.0F);
  prepare();
}

template <class Use>
void LogicNetwork::for_each_part(const Use& use) const {
  for (const Gate kind : {Gate::kAnd, Gate::kOr}) {
    if (hidden(kind) == 0) continue;
    use(gate(kind).left, slot_offset(slot_of(kind, false)), hidden(kind));
    use(gate(kind).right, slot_offset(slot_of(kind, true)), hidden(kind));
  }
  use(negation_.in, negation_offset(), negation_hidden_);
}

void LogicNetwork::prepare() {
  const std::size_t d = width();
  for_each_part([&](std::size_t parameter, std::size_t offset, std::size_t columns) {
    copy_rows(d, columns, {parameters_.value(parameter).data, columns}, {projection_.data() + offset, projections()});
  });
  transpose(d, projections(), projection_.data(), projections(), projection_transposed_.data(), d);
  for (const Gate kind : {Gate::kAnd, Gate::kOr}) {
    GateModule& module = gates_[kind == Gate::kOr ? 1 : 0];
    if (hidden(kind) > 0) module.bias_value = parameters_.value(module.bias).data;
    module.head->prepare(parameters_);
  }
  negation_.bias_value = parameters_.value(negation_.bias).data;
  negation_.head->prepare(parameters_);
  similarity_->prepare(parameters_);
}

}  // namespace linn
