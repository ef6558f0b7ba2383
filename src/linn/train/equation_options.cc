#include "linn/train/equation_options.h"

#include "linn/nn/network_option_table.h"
#include "linn/train/training_option_table.h"

namespace linn {
namespace {

// The paper's smaller set has 3,000 equations, the larger 30,000.
constexpr std::size_t kSmallSet = 5000;

}  // namespace

EquationOptions equation_preset(EquationPreset preset, std::size_t equations, std::size_t width) {
  const auto width_or = [&](std::size_t usual) { return width == 0 ? usual : width; };
  const bool small = equations <= kSmallSet;
  const double weight_norm = small ? 1e-5 : 1e-3;  // lambda_Theta, from the authors' commands
  EquationOptions options;
  options.law_weight = small ? 0.01F : 0.1F;
  options.optimizer.clip_value = 10.0;
  switch (preset) {
    case EquationPreset::kPaper:
      options.network = NetworkOptions::paper(width_or(64));
      // A term lambda ||Theta||^2 of the loss has the gradient 2 lambda Theta.
      options.optimizer.weight_decay = 2.0 * weight_norm;
      break;
    case EquationPreset::kAuthors:
      options.network = NetworkOptions::authors(width_or(64));
      options.optimizer.weight_decay = weight_norm;
      options.optimizer.decay_biases = false;
      options.squared_length = false;
      options.count_occurrences = true;
      options.negation_hides_variable = true;
      break;
    case EquationPreset::kBest:
      // Modules learn logic before the variables move, and laws lead at first.
      options.network = NetworkOptions::authors(width_or(128));
      options.law_weight = 0.1F;
      options.law_boost = 6.0F;
      options.law_boost_share = 0.3F;
      options.count_occurrences = true;
      options.negation_hides_variable = true;
      options.squared_length = false;
      options.optimizer.weight_decay = 1e-4;
      options.optimizer.decay_biases = false;
      options.pretrain_steps = 500;
      break;
  }
  return options;
}

OptionTable<EquationOptions> equation_option_table() {
  OptionTable<EquationOptions> table;
  add_network_options(
      table, [](auto& o) -> auto& { return o.network; });
  table.choice<Form>(
      "form", "Normal form of the expressions", {{"dnf", Form::kDnf}, {"cnf", Form::kCnf}},
      [](auto& o) -> auto& { return o.form; });
  table.choice<bool>(
      "order", "Order and association of operands in training", {{"random", true}, {"fixed", false}},
      [](auto& o) -> auto& { return o.random_order; });
  table.number(
      "init", "Deviation of the initial values", 1e-6, 10.0, [](auto& o) -> auto& { return o.init; });
  table.number(
      "laws", "Weight of each of the ten laws", 0.0, 1e4, [](auto& o) -> auto& { return o.law_weight; });
  table.number(
      "law_share", "Share of the vectors that the laws are applied to, scaled up", 1e-3, 1.0,
      [](auto& o) -> auto& { return o.law_share; });
  table.number(
      "law_boost", "How many times stronger the laws are at first", 1.0, 1e4,
      [](auto& o) -> auto& { return o.law_boost; });
  table.number(
      "law_boost_share", "Share of the epochs over which that decays", 0.0, 1.0,
      [](auto& o) -> auto& { return o.law_boost_share; });
  table.number(
      "length", "Weight of the length term", 0.0, 1e4, [](auto& o) -> auto& { return o.length_weight; });
  table.choice<bool>(
      "length_norm", "Squared or plain norm in the length term", {{"squared", true}, {"plain", false}},
      [](auto& o) -> auto& { return o.squared_length; });
  table.flag(
      "count_occurrences", "A vector counts as often as it occurs in a batch",
      [](auto& o) -> auto& { return o.count_occurrences; });
  table.flag(
      "negation_hides_variable", "A negated variable counts only as its negation",
      [](auto& o) -> auto& { return o.negation_hides_variable; });
  table.number(
      "flip_rate", "Share of labels expected to be wrong", 0.0, 0.49, [](auto& o) -> auto& { return o.flip_rate; });
  table.number(
      "dropout", "Share of a variable's numbers dropped as it enters the network", 0.0, 0.95,
      [](auto& o) -> auto& { return o.dropout; });
  add_training_options(table);
  table.integer(
      "pretrain_steps", "Steps in which the modules alone learn the laws, over random vectors", 0, 1'000'000,
      [](auto& o) -> auto& { return o.pretrain_steps; });
  return table;
}

}  // namespace linn
