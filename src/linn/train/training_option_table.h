// The settings that every training by epochs has: batches, epochs, and the optimizer's steps.
#pragma once

#include "linn/base/options.h"
#include "linn/optim/optimizer.h"

namespace linn {

// For a struct with the members batch, epochs, patience and optimizer.
template <class Struct>
void add_training_options(OptionTable<Struct>& table) {
  table.integer(
      "batch", "Equations in a batch", 1, 1'000'000, [](auto& o) -> auto& { return o.batch; });
  table.integer(
      "epochs", "Epochs at most", 0, 1'000'000, [](auto& o) -> auto& { return o.epochs; });
  table.integer(
      "patience", "Epochs without a better one before training stops", 1, 1'000'000,
      [](auto& o) -> auto& { return o.patience; });
  table.number(
      "learning_rate", "Learning rate", 1e-9, 10.0, [](auto& o) -> auto& { return o.optimizer.learning_rate; });
  table.number(
      "weight_decay", "Decay of the parameters", 0.0, 10.0, [](auto& o) -> auto& { return o.optimizer.weight_decay; });
  table.template choice<DecayMode>(
      "decay", "Decay as part of the gradient, or beside it",
      {{"coupled", DecayMode::kCoupled}, {"decoupled", DecayMode::kDecoupled}},
      [](auto& o) -> auto& { return o.optimizer.decay_mode; });
  table.flag(
      "decay_biases", "Decay of the biases too", [](auto& o) -> auto& { return o.optimizer.decay_biases; });
  table.number(
      "clip_value", "Gradients are cut to this; 0: never", 0.0, 1e9,
      [](auto& o) -> auto& { return o.optimizer.clip_value; });
  table.number(
      "clip_norm", "The norm of all gradients is cut to this; 0: never", 0.0, 1e9,
      [](auto& o) -> auto& { return o.optimizer.clip_norm; });
}

}  // namespace linn
