#include "linn/optim/optimizer_option_table.h"

namespace linn {

OptionTable<OptimizerOptions> optimizer_option_table() {
  OptionTable<OptimizerOptions> table;
  table.choice<OptimizerKind>(
      "optimizer", "The optimizer",
      {{"adam", OptimizerKind::kAdam}, {"sgd", OptimizerKind::kSgd}, {"adagrad", OptimizerKind::kAdagrad}},
      &OptimizerOptions::kind);
  table.number("learning_rate", "Learning rate", 1e-9, 10.0, &OptimizerOptions::learning_rate);
  table.number("module_rate", "Learning rate of modules and layers, as a share of learning_rate; 0: they stay fixed",
               0.0, 1.0, &OptimizerOptions::parameter_rate);
  table.number("weight_decay", "Decay of the parameters", 0.0, 10.0, &OptimizerOptions::weight_decay);
  table.choice<DecayMode>("decay", "Decay as part of the gradient, or decoupled from it",
                          {{"coupled", DecayMode::kCoupled}, {"decoupled", DecayMode::kDecoupled}},
                          &OptimizerOptions::decay_mode);
  table.flag("decay_biases", "Decay the biases too", &OptimizerOptions::decay_biases);
  table.number("clip_value", "Clip every gradient to this; 0: never", 0.0, 1e9, &OptimizerOptions::clip_value);
  table.number("clip_norm", "Clip the norm of all gradients to this; 0: never", 0.0, 1e9, &OptimizerOptions::clip_norm);
  return table;
}

}  // namespace linn
