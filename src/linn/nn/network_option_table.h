// The options of a network by name, for the command line, files and documentation.
#pragma once

#include <string>

#include "linn/base/options.h"
#include "linn/nn/network_options.h"

namespace linn {

// Adds the options of a network to the table of a struct that holds one; `network` maps the struct to it.
template <class Struct, class Access>
void add_network_options(OptionTable<Struct>& table, Access network) {
  constexpr std::uint64_t kWidest = 4096;
  table.integer(
      "d", "Width of the vectors", 1, kWidest, [network](auto& o) -> auto& { return network(o).width; });
  const auto add_module = [&](const std::string& prefix, const std::string& what, auto module) {
    table.integer(
        prefix + "_hidden", "Width of the hidden layers of " + what + "; 0: as wide as the vectors", 0,
        kWidest, [module](auto& o) -> auto& { return module(o).hidden; });
    table.integer(
        prefix + "_depth", "Hidden layers of " + what, 1, 8, [module](auto& o) -> auto& { return module(o).depth; });
    table.flag(
        prefix + "_output_bias",
        "A bias on the output of " + what, [module](auto& o) -> auto& { return module(o).output_bias; });
    table.template choice<Activation>(
        prefix + "_activation", "Activation of the hidden layers of " + what,
        {{"relu", Activation::kRelu}, {"leaky_relu", Activation::kLeakyRelu}, {"tanh", Activation::kTanh}},
        [module](auto& o) -> auto& { return module(o).activation; });
    table.template choice<Structure>(
        prefix + "_structure", "What follows the first layer of " + what,
        {{"mlp", Structure::kMlp}, {"residual", Structure::kResidual}}, [module](auto& o) -> auto& {
          return module(o).structure;
        });
  };
  add_module(
      "gate", "AND and OR", [network](auto& o) -> auto& { return network(o).gate; });
  add_module(
      "not", "NOT", [network](auto& o) -> auto& { return network(o).negation; });
  table.template choice<SimilarityKind>(
      "similarity", "How two vectors are compared",
      {{"cosine", SimilarityKind::kCosine}, {"dot", SimilarityKind::kDot}, {"mlp", SimilarityKind::kMlp}},
      [network](auto& o) -> auto& { return network(o).similarity; });
  table.number(
      "alpha", "Scale of the cosine before the sigmoid", 0.001,
      1000.0, [network](auto& o) -> auto& { return network(o).alpha; });
}

OptionTable<NetworkOptions> network_option_table();

}  // namespace linn
