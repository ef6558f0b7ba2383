#include "linn/nn/network_option_table.h"

namespace linn {
namespace {

constexpr std::uint64_t kWidest = 4096;

template <class Module>
void add_module(OptionTable<NetworkOptions>& table, const std::string& prefix, const std::string& what, Module module) {
  table.integer(
      prefix + "_hidden", "Width of the hidden layers of " + what + "; 0: as wide as the vectors", 0,
      kWidest, [module](auto& o) -> auto& { return module(o).hidden; });
  table.integer(
      prefix + "_depth", "Hidden layers of " + what, 1, 8, [module](auto& o) -> auto& { return module(o).depth; });
  table.flag(
      prefix + "_output_bias",
      "A bias on the output of " + what, [module](auto& o) -> auto& { return module(o).output_bias; });
  table.choice<Activation>(
      prefix + "_activation", "Activation of the hidden layers of " + what,
      {{"relu", Activation::kRelu}, {"leaky_relu", Activation::kLeakyRelu}, {"tanh", Activation::kTanh}},
      [module](auto& o) -> auto& { return module(o).activation; });
  table.choice<Structure>(
      prefix + "_structure", "What follows the first layer of " + what,
      {{"mlp", Structure::kMlp}, {"residual", Structure::kResidual}}, [module](auto& o) -> auto& {
        return module(o).structure;
      });
}

}  // namespace

OptionTable<NetworkOptions> network_option_table() {
  OptionTable<NetworkOptions> table;
  table.integer(
      "d", "Width of the vectors", 1, kWidest, [](auto& o) -> auto& { return o.width; });
  add_module(
      table, "gate", "AND and OR", [](auto& o) -> auto& { return o.gate; });
  add_module(
      table, "not", "NOT", [](auto& o) -> auto& { return o.negation; });
  table.choice<SimilarityKind>(
      "similarity", "How two vectors are compared",
      {{"cosine", SimilarityKind::kCosine}, {"dot", SimilarityKind::kDot}, {"mlp", SimilarityKind::kMlp}},
      [](auto& o) -> auto& { return o.similarity; });
  table.number(
      "alpha", "Scale of the cosine before the sigmoid", 0.001, 1000.0, [](auto& o) -> auto& { return o.alpha; });
  return table;
}

}  // namespace linn
