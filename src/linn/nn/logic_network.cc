#include "linn/nn/logic_network.h"

#include <string>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"
#include "linn/kernels/rows.h"

namespace linn {

LogicNetwork::LogicNetwork(const NetworkOptions& options)
    : options_(options),
      gate_hidden_(options.gate_hidden()),
      negation_hidden_(options.negation_hidden()),
      true_(options.width) {
  const std::size_t d = options.width;
  for (const Gate kind : {Gate::kAnd, Gate::kOr}) {
    GateModule& module = gates_[kind == Gate::kOr ? 1 : 0];
    const std::string name = kind == Gate::kOr ? "or" : "and";
    module.left = parameters_.add(name + ".left", d, gate_hidden_);
    module.right = parameters_.add(name + ".right", d, gate_hidden_);
    module.bias = parameters_.add(name + ".bias", 1, gate_hidden_, ParameterKind::kBias);
    module.head = make_head(options.gate, d, gate_hidden_, false, name, parameters_);
  }
  negation_.in = parameters_.add("not.in", d, negation_hidden_);
  negation_.bias = parameters_.add("not.bias", 1, negation_hidden_, ParameterKind::kBias);
  negation_.head = make_head(options.negation, d, negation_hidden_, true, "not", parameters_);
  similarity_ = make_similarity(options, parameters_);
  projection_.reshape(d * projections());
  projection_transposed_.reshape(d * projections());
}

void LogicNetwork::initialize(Random& random, float deviation) {
  parameters_.initialize_normal(random, deviation);
  for (float& value : true_.span()) value = static_cast<float>(random.uniform());
  prepare();
}

std::array<LogicNetwork::Part, kSlots + 1> LogicNetwork::parts() const {
  const auto part = [&](std::size_t parameter, Slot slot) { return Part{parameter, slot_offset(slot), gate_hidden_}; };
  return {part(gates_[0].left, Slot::kAndLeft), part(gates_[0].right, Slot::kAndRight),
          part(gates_[1].left, Slot::kOrLeft), part(gates_[1].right, Slot::kOrRight),
          Part{negation_.in, negation_offset(), negation_hidden_}};
}

void LogicNetwork::prepare() {
  const std::size_t d = width();
  for (const Part& part : parts()) {
    copy_rows(d, part.columns, {parameters_.value(part.parameter).data, part.columns},
              {projection_.data() + part.offset, projections()});
  }
  transpose(d, projections(), projection_.data(), projections(), projection_transposed_.data(), d);
  for (GateModule& module : gates_) {
    module.bias_value = parameters_.value(module.bias).data;
    module.head->prepare(parameters_);
  }
  negation_.bias_value = parameters_.value(negation_.bias).data;
  negation_.head->prepare(parameters_);
  similarity_->prepare(parameters_);
}

void LogicNetwork::add_projection_gradient(const float* gradient, ParameterGradients& gradients) const {
  for (const Part& part : parts()) {
    accumulate_rows(width(), part.columns, {gradient + part.offset, projections()},
                    {gradients.of(part.parameter).data, part.columns});
  }
}

}  // namespace linn
