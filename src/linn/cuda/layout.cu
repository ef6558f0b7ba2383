#include <cmath>
#include <string>

#include "linn/base/error.h"
#include "linn/cuda/layout.h"

namespace linn::cuda {
namespace {

GateKind kind_of(Structure structure) {
  switch (structure) {
    case Structure::kMlp:
      return GateKind::kMlp;
    case Structure::kLeftResidual:
      return GateKind::kLeftResidual;
    case Structure::kProduct:
      return GateKind::kProduct;
    case Structure::kResidual:
    case Structure::kMlpProduct:
      break;
  }
  throw InputError("the structures residual and mlp_product are not there on a GPU: train on the CPU");
}

}  // namespace

Layout::Layout(const LogicNetwork& network) {
  const NetworkOptions& options = network.options();
  if (options.gate.depth != 1 || options.negation.depth != 1) {
    throw InputError("modules with more than one hidden layer are not there on a GPU: train on the CPU");
  }
  if (options.negation.structure != Structure::kMlp) kind_of(options.negation.structure);
  if (options.similarity == SimilarityKind::kMlp) {
    throw InputError("similarity=mlp is not there on a GPU: train on the CPU");
  }
  const auto d = static_cast<u32>(options.width);
  shape_.width = d;
  u32 columns = 0;
  for (u32 gate = 0; gate < 2; ++gate) {
    const Gate kind = gate == 1 ? Gate::kOr : Gate::kAnd;
    shape_.kind[gate] = kind_of(options.structure(kind));
    const u32 own = shape_.kind[gate] == GateKind::kProduct ? d : static_cast<u32>(options.gate_hidden(kind));
    for (const bool right : {false, true}) {
      shape_.columns[slot(gate, right)] = own;
      shape_.offset[slot(gate, right)] = columns;
      columns += own;
    }
    shape_.gate_stride = std::max(shape_.gate_stride, own);
  }
  shape_.negation = static_cast<u32>(options.negation_hidden());
  shape_.negation_offset = columns;
  shape_.projections = columns + shape_.negation;
  shape_.gate_activation = options.gate.activation;
  shape_.negation_activation = options.negation.activation;
  shape_.bound = options.length_bound > 0.0F ? options.length_bound : std::sqrt(static_cast<float>(d));
  shape_.alpha = options.alpha;
  shape_.dot = options.similarity == SimilarityKind::kDot;

  size_ = std::size_t{d} * shape_.projections;
  for (u32 gate = 0; gate < 2; ++gate) {
    const std::string name = gate == 1 ? "or" : "and";
    const bool product = shape_.kind[gate] == GateKind::kProduct;
    for (const bool right : {false, true}) {
      const std::string side = right ? "right" : "left";
      add_at(network, name + (product ? ".product_" : ".") + side, shape_.offset[slot(gate, right)],
             shape_.projections);
    }
    if (product) continue;
    bias_at_[gate] = add(network, name + ".bias");
    out_at_[gate] = add(network, name + ".out");
    if (options.gate.output_bias) out_bias_at_[gate] = add(network, name + ".out_bias");
  }
  add_at(network, "not.in", shape_.negation_offset, shape_.projections);
  negation_bias_at_ = add(network, "not.bias");
  negation_out_at_ = add(network, "not.out");
  if (options.negation.output_bias) negation_out_bias_at_ = add(network, "not.out_bias");
}

std::size_t Layout::add(const LogicNetwork& network, const std::string& name) {
  const std::size_t at = size_;
  const ParameterInfo& info = network.parameters().list()[network.parameters().find(name)];
  add_at(network, name, at, info.cols);
  size_ += info.size();
  return at;
}

void Layout::add_at(const LogicNetwork& network, const std::string& name, std::size_t at, std::size_t stride) {
  const ParameterInfo& info = network.parameters().list()[network.parameters().find(name)];
  pieces_.push_back({info.offset, info.rows, info.cols, at, stride, info.kind == ParameterKind::kBias});
}

Weights Layout::parts_of(float* block) const {
  const auto at = [&](std::size_t place) { return place == kAbsent ? nullptr : block + place; };
  Weights weights;
  weights.projection = block;
  for (u32 gate = 0; gate < 2; ++gate) {
    weights.bias[gate] = at(bias_at_[gate]);
    weights.out[gate] = at(out_at_[gate]);
    weights.out_bias[gate] = at(out_bias_at_[gate]);
  }
  weights.negation_bias = at(negation_bias_at_);
  weights.negation_out = at(negation_out_at_);
  weights.negation_out_bias = at(negation_out_bias_at_);
  return weights;
}

std::vector<std::uint8_t> Layout::decays(bool decay_biases) const {
  std::vector<std::uint8_t> decays(size_, 1);
  for (const Piece& piece : pieces_) {
    if (!piece.is_bias || decay_biases) continue;
    std::fill_n(decays.begin() + static_cast<std::ptrdiff_t>(piece.at), piece.columns, std::uint8_t{0});
  }
  return decays;
}

void Layout::to_device(std::span<const float> parameters, std::vector<float>& block) const {
  block.resize(size_);
  for (const Piece& piece : pieces_) {
    for (std::size_t row = 0; row < piece.rows; ++row) {
      std::copy_n(parameters.data() + piece.offset + row * piece.columns, piece.columns,
                  block.data() + piece.at + row * piece.stride);
    }
  }
}

void Layout::to_host(std::span<const float> block, std::span<float> parameters) const {
  for (const Piece& piece : pieces_) {
    for (std::size_t row = 0; row < piece.rows; ++row) {
      std::copy_n(block.data() + piece.at + row * piece.stride, piece.columns,
                  parameters.data() + piece.offset + row * piece.columns);
    }
  }
}

}  // namespace linn::cuda
