#include "linn/nn/network_option_table.h"

namespace linn {
namespace {

constexpr std::uint64_t kWidest = 4096;

OptionTable<ModuleOptions> module_option_table(const std::string& prefix, const std::string& modules) {
  OptionTable<ModuleOptions> table;
  table.integer(prefix + "_hidden", "Width of the hidden layers of " + modules + "; 0: as wide as the vectors", 0,
                kWidest, &ModuleOptions::hidden);
  table.integer(prefix + "_depth", "Hidden layers of " + modules, 1, 8, &ModuleOptions::depth);
  table.flag(prefix + "_output_bias", "A bias on the output of " + modules, &ModuleOptions::output_bias);
  table.choice<Activation>(
      prefix + "_activation", "Activation of the hidden layers of " + modules,
      {{"relu", Activation::kRelu}, {"leaky_relu", Activation::kLeakyRelu}, {"tanh", Activation::kTanh}},
      &ModuleOptions::activation);
  table.choice<Structure>(prefix + "_structure", "What follows the first layer of " + modules,
                          {{"mlp", Structure::kMlp}, {"residual", Structure::kResidual}}, &ModuleOptions::structure);
  return table;
}

}  // namespace

OptionTable<NetworkOptions> network_option_table() {
  OptionTable<NetworkOptions> table;
  table.integer("d", "Width of the vectors", 1, kWidest, &NetworkOptions::width);
  table.include(module_option_table("gate", "AND and OR"), &NetworkOptions::gate);
  table.include(module_option_table("not", "NOT"), &NetworkOptions::negation);
  table.choice<SimilarityKind>(
      "similarity", "How two vectors are compared",
      {{"cosine", SimilarityKind::kCosine}, {"dot", SimilarityKind::kDot}, {"mlp", SimilarityKind::kMlp}},
      &NetworkOptions::similarity);
  table.number("alpha", "Scale of the cosine before the sigmoid", 0.001, 1000.0, &NetworkOptions::alpha);
  return table;
}

}  // namespace linn
