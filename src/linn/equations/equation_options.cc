#include "linn/equations/equation_options.h"

#include <algorithm>

namespace linn {
namespace {

// The paper's data sets have 3,000 and 30,000 equations.
constexpr std::size_t kSmallSet = 5000;

// The number of steps that the variables need to converge under `best`.
constexpr std::size_t kBestSteps = 700;

}  // namespace

EquationOptions equation_preset(Preset preset, std::size_t equations, std::size_t width) {
  const auto width_or = [&](std::size_t fallback) { return width == 0 ? fallback : width; };
  const bool small = equations <= kSmallSet;
  const double weight_norm = small ? 1e-5 : 1e-3;  // lambda_Theta, from the authors' commands
  EquationOptions options;
  options.law_weight = small ? 0.01F : 0.1F;
  options.optimizer.clip_value = 10.0;
  switch (preset) {
    case Preset::kPaper:
      options.network = NetworkOptions::paper(width_or(64));
      // A term lambda ||Theta||^2 of the loss has the gradient 2 lambda Theta.
      options.optimizer.weight_decay = 2.0 * weight_norm;
      break;
    case Preset::kAuthors:
      options.network = NetworkOptions::authors(width_or(64));
      options.optimizer.weight_decay = weight_norm;
      options.optimizer.decay_biases = false;
      options.squared_length = false;
      options.count_occurrences = true;
      options.negation_hides_variable = true;
      break;
    case Preset::kBest:
      // The modules are pretrained on random expressions and the laws, then frozen: the data only determines which
      // variables are true. Narrow vectors and dropout leave few meaningless directions to overfit with.
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
      // The fewer the equations, the fewer the steps per epoch, and the more epochs are needed.
      options.epochs =
          std::clamp<std::size_t>(kBestSteps * options.batch / std::max<std::size_t>(equations, 1), 60, 700);
      options.ensemble = 4;
      options.select_by = SelectBy::kLikelihood;
      break;
  }
  return options;
}

void leave_out_laws(EquationOptions& options) {
  options.law_weight = 0.0F;
  options.pretrain.steps = 0;
  options.optimizer.parameter_rate = 1.0;
  options.loss = EquationLoss::kLikelihood;  // the variational loss needs modules that compute probabilities
}

OptionTable<EquationOptions> equation_option_table() {
  OptionTable<EquationOptions> table;
  table.choice<Form>("form", "Normal form of the expressions", {{"dnf", Form::kDnf}, {"cnf", Form::kCnf}},
                     &EquationOptions::form);
  table.include<LogicOptions>(logic_option_table());
  table.choice<EquationLoss>(
      "loss", "Likelihood of the labels, or a variational bound on the posterior of the variables",
      {{"likelihood", EquationLoss::kLikelihood}, {"variational", EquationLoss::kVariational}}, &EquationOptions::loss);
  table.number("entropy", "Weight of the variables' entropy in the variational loss", 0.0, 100.0,
               &EquationOptions::entropy);
  table.integer("ensemble", "Networks that are trained together and averaged", 1, 1000, &EquationOptions::ensemble);
  table.integer("module_sets", "Separately pretrained sets of modules among these networks", 1, 1000,
                &EquationOptions::module_sets);
  table.alias("schools", "module_sets");
  table.choice<SelectBy>("select_by", "Criterion that selects the best epoch on validation data",
                         {{"accuracy", SelectBy::kAccuracy}, {"likelihood", SelectBy::kLikelihood}},
                         &EquationOptions::select_by);
  table.include<TrainingOptions>(training_option_table());
  table.flag("learn_label_noise", "Estimate label_noise after every epoch", &EquationOptions::learn_label_noise);
  table.alias("learn_flip_rate", "learn_label_noise");
  return table;
}

}  // namespace linn
