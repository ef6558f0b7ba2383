// The options of an optimizer by name, for the command line, files and documentation.
#pragma once

#include "linn/base/options.h"
#include "linn/optim/optimizer.h"

namespace linn {

// Adds the options of an optimizer to the table of a struct that holds one; `optimizer` maps the struct to it.
template <class Struct, class Access>
void add_optimizer_options(OptionTable<Struct>& table, Access optimizer) {
  table.template choice<OptimizerKind>(
      "optimizer", "The optimizer",
      {{"adam", OptimizerKind::kAdam}, {"sgd", OptimizerKind::kSgd}, {"adagrad", OptimizerKind::kAdagrad}},
      [optimizer](auto& o) -> auto& { return optimizer(o).kind; });
  table.number(
      "learning_rate", "Learning rate", 1e-9,
      10.0, [optimizer](auto& o) -> auto& { return optimizer(o).learning_rate; });
  table.number(
      "module_rate", "Share of the learning rate that modules and layers have; 0: they stay as they are", 0.0,
      1.0, [optimizer](auto& o) -> auto& { return optimizer(o).parameter_rate; });
  table.number(
      "weight_decay", "Decay of the parameters", 0.0,
      10.0, [optimizer](auto& o) -> auto& { return optimizer(o).weight_decay; });
  table.template choice<DecayMode>(
      "decay", "Decay as part of the gradient, or beside it",
      {{"coupled", DecayMode::kCoupled}, {"decoupled", DecayMode::kDecoupled}}, [optimizer](auto& o) -> auto& {
        return optimizer(o).decay_mode;
      });
  table.flag(
      "decay_biases", "Decay of the biases too", [optimizer](auto& o) -> auto& { return optimizer(o).decay_biases; });
  table.number(
      "clip_value", "Gradients are clipped to this; 0: never", 0.0,
      1e9, [optimizer](auto& o) -> auto& { return optimizer(o).clip_value; });
  table.number(
      "clip_norm", "The norm of all gradients is clipped to this; 0: never", 0.0,
      1e9, [optimizer](auto& o) -> auto& { return optimizer(o).clip_norm; });
}

}  // namespace linn
