#include "linn/equations/equation_options.h"

#include <algorithm>

#include "linn/base/error.h"
#include "linn/nn/network_option_table.h"
#include "linn/train/logic_option_table.h"
#include "linn/train/training_option_table.h"

namespace linn {
namespace {

// The paper's smaller set has 3,000 equations, the larger 30,000.
constexpr std::size_t kSmallSet = 5000;

constexpr std::size_t kBestSteps = 700;

// LINN−R_l: nobody teaches it logic, its modules learn from the labels alone.
void leave_out_laws(EquationOptions& options) {
  options.law_weight = 0.0F;
  options.pretrain.steps = 0;
  options.optimizer.parameter_rate = 1.0;
  options.loss = EquationLoss::kLikelihood;  // beliefs mean nothing to modules that know no logic
}

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
      // The modules learn logic first, from random expressions and the laws, and then stay as they are: the data only
      // says which variables are true. Narrow vectors and dropout leave few directions to lean on that mean nothing.
      options.network = NetworkOptions::authors(width_or(32));
      options.network.negation.hidden = 2 * options.network.width;
      options.law_weight = 0.0F;
      options.length_weight = 0.0F;
      options.pretrain.steps = 10000;
      options.pretrain.law_weight = 0.01F;
      options.pretrain.law_share = 0.03F;
      options.optimizer.parameter_rate = 0.0;
      options.optimizer.weight_decay = 1e-4;
      options.dropout = 0.3F;
      options.loss = EquationLoss::kVariational;
      // Few equations make few steps an epoch; the variables need some 700 to find their place.
      options.epochs =
          std::clamp<std::size_t>(kBestSteps * options.batch / std::max<std::size_t>(equations, 1), 60, 700);
      options.ensemble = 4;
      options.select_by = SelectBy::kLikelihood;
      break;
  }
  return options;
}

EquationOptions changed_preset(EquationPreset preset, std::size_t equations,
                               std::span<const std::pair<std::string, std::string>> settings, Laws laws) {
  const auto table = equation_option_table();
  EquationOptions probe;
  std::size_t width = 0;
  for (const auto& [key, value] : settings) {
    table.set(probe, key, value);  // the check of names and values comes first
    if (key == "d") width = probe.network.width;
  }
  EquationOptions options = equation_preset(preset, equations, width);
  if (laws == Laws::kLeftOut) leave_out_laws(options);
  for (const auto& [key, value] : settings) table.set(options, key, value);
  if (laws == Laws::kLeftOut && (options.law_weight != 0.0F || options.pretrain.steps != 0)) {
    throw InputError("linn-rl is LINN without laws: laws and pretrain_steps must be 0");
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
  table.number(
      "init", "Deviation of the initial values", 1e-6, 10.0, [](auto& o) -> auto& { return o.init; });
  add_logic_training_options(table);
  table.choice<EquationLoss>(
      "loss", "Likelihood of the labels, or the variational bound of what they tell of the variables",
      {{"likelihood", EquationLoss::kLikelihood}, {"variational", EquationLoss::kVariational}},
      [](auto& o) -> auto& { return o.loss; });
  table.number(
      "entropy", "Weight of the variables' entropy in the variational loss", 0.0, 100.0,
      [](auto& o) -> auto& { return o.entropy; });
  table.number(
      "flip_rate", "Share of labels expected to be wrong", 0.0, 0.49, [](auto& o) -> auto& { return o.flip_rate; });
  table.flag(
      "learn_flip_rate", "Estimate that share after every epoch, beginning with flip_rate",
      [](auto& o) -> auto& { return o.learn_flip_rate; });
  table.integer(
      "ensemble", "Networks that are trained, and answer as their mean", 1, 1000,
      [](auto& o) -> auto& { return o.ensemble; });
  table.integer(
      "schools", "Sets of modules among these networks, each taught on its own", 1, 1000,
      [](auto& o) -> auto& { return o.schools; });
  table.number(
      "dropout", "Share of a variable's numbers dropped as it enters the network", 0.0, 0.95,
      [](auto& o) -> auto& { return o.dropout; });
  table.choice<SelectBy>(
      "select_by", "What makes an epoch the best one on validation data",
      {{"accuracy", SelectBy::kAccuracy}, {"likelihood", SelectBy::kLikelihood}},
      [](auto& o) -> auto& { return o.select_by; });
  add_training_options(table);
  return table;
}

}  // namespace linn
