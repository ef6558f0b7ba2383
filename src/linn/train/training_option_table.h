// The settings that every training by epochs has: batches, epochs, and the optimizer's steps.
#pragma once

#include "linn/base/options.h"
#include "linn/optim/optimizer_option_table.h"

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
  add_optimizer_options(
      table, [](auto& o) -> auto& { return o.optimizer; });
}

}  // namespace linn
