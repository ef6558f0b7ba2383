#include "linn/train/training_options.h"

#include "linn/optim/optimizer_option_table.h"

namespace linn {

OptionTable<TrainingOptions> training_option_table() {
  OptionTable<TrainingOptions> table;
  table.integer("batch", "Examples in a batch", 1, 1'000'000, &TrainingOptions::batch);
  table.integer("epochs", "Epochs at most", 0, 1'000'000, &TrainingOptions::epochs);
  table.integer("patience", "Epochs without a better one before training stops", 1, 1'000'000,
                &TrainingOptions::patience);
  table.number("dropout", "Share of a vector's elements that are dropped as it enters the network", 0.0, 0.95,
               &TrainingOptions::dropout);
  table.number("init", "Standard deviation of the initial values", 1e-6, 10.0, &TrainingOptions::init);
  table.number("label_noise", "Share of labels expected to be wrong", 0.0, 0.49, &TrainingOptions::label_noise);
  table.alias("flip_rate", "label_noise");
  table.include(optimizer_option_table(), &TrainingOptions::optimizer);
  return table;
}

}  // namespace linn
