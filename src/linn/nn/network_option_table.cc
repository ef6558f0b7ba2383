#include "linn/nn/network_option_table.h"

#include <optional>
#include <utility>
#include <vector>

namespace linn {
namespace {

constexpr std::uint64_t kWidest = 4096;

const std::vector<std::pair<std::string, Structure>> kNegationStructures = {{"mlp", Structure::kMlp},
                                                                            {"residual", Structure::kResidual}};
const std::vector<std::pair<std::string, Structure>> kGateStructures = {{"mlp", Structure::kMlp},
                                                                        {"residual", Structure::kResidual},
                                                                        {"left_residual", Structure::kLeftResidual},
                                                                        {"product", Structure::kProduct},
                                                                        {"mlp_product", Structure::kMlpProduct}};

OptionTable<ModuleOptions> module_option_table(const std::string& prefix, const std::string& modules,
                                               std::vector<std::pair<std::string, Structure>> structures) {
  OptionTable<ModuleOptions> table;
  table.integer(prefix + "_hidden", "Width of the hidden layers of " + modules + "; 0: as wide as the vectors", 0,
                kWidest, &ModuleOptions::hidden);
  table.integer(prefix + "_depth", "Hidden layers of " + modules, 1, 8, &ModuleOptions::depth);
  table.flag(prefix + "_output_bias", "A bias on the output of " + modules, &ModuleOptions::output_bias);
  table.choice<Activation>(
      prefix + "_activation", "Activation of the hidden layers of " + modules,
      {{"relu", Activation::kRelu}, {"leaky_relu", Activation::kLeakyRelu}, {"tanh", Activation::kTanh}},
      &ModuleOptions::activation);
  table.choice<Structure>(prefix + "_structure", "The formula of " + modules, std::move(structures),
                          &ModuleOptions::structure);
  return table;
}

// The structure of one gate, where it differs from that of both.
std::vector<std::pair<std::string, std::optional<Structure>>> one_gate_structures() {
  std::vector<std::pair<std::string, std::optional<Structure>>> words = {{"gate", std::nullopt}};
  words.insert(words.end(), kGateStructures.begin(), kGateStructures.end());
  return words;
}

}  // namespace

OptionTable<NetworkOptions> network_option_table() {
  OptionTable<NetworkOptions> table;
  table.integer("d", "Width of the vectors", 1, kWidest, &NetworkOptions::width);
  table.include(module_option_table("gate", "AND and OR", kGateStructures), &NetworkOptions::gate);
  table.choice<std::optional<Structure>>("and_structure", "The formula of AND; gate: as gate_structure",
                                         one_gate_structures(), &NetworkOptions::and_structure);
  table.choice<std::optional<Structure>>("or_structure", "The formula of OR; gate: as gate_structure",
                                         one_gate_structures(), &NetworkOptions::or_structure);
  table.number("length_bound", "Greatest length of the results of left_residual; 0: sqrt(d)", 0.0, 1e6,
               &NetworkOptions::length_bound);
  table.include(module_option_table("not", "NOT", kNegationStructures), &NetworkOptions::negation);
  table.choice<SimilarityKind>(
      "similarity", "How two vectors are compared",
      {{"cosine", SimilarityKind::kCosine}, {"dot", SimilarityKind::kDot}, {"mlp", SimilarityKind::kMlp}},
      &NetworkOptions::similarity);
  table.number("alpha", "Scale of the cosine before the sigmoid", 0.001, 1000.0, &NetworkOptions::alpha);
  return table;
}

}  // namespace linn
