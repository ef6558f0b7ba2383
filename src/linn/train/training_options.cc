#include "linn/train/training_options.h"

#include "linn/optim/optimizer_option_table.h"

namespace linn {

OptionTable<TrainingOptions> training_option_table() {
  OptionTable<TrainingOptions> table;
  table.integer("batch", "Examples in a batch", 1, 1'000'000, &TrainingOptions::batch);
  table.integer("epochs", "Maximum number of epochs", 0, 1'000'000, &TrainingOptions::epochs);
  table.integer("patience", "Epochs without improvement before training stops", 1, 1'000'000,
                &TrainingOptions::patience);
  table.number("dropout", "Share of the elements of input vectors that are dropped", 0.0, 0.95,
               &TrainingOptions::dropout);
  table.number("init", "Standard deviation of the initial values", 1e-6, 10.0, &TrainingOptions::init);
  table.number("label_noise", "Expected share of wrong labels", 0.0, 0.49, &TrainingOptions::label_noise);
  table.alias("flip_rate", "label_noise");
  table.number("replay", "Training that continues from a run: share of the earlier examples in each epoch", 0.0, 1.0,
               &TrainingOptions::replay);
  std::vector<std::pair<std::string, std::size_t>> shards;
  for (std::size_t count = 1; count <= kMostShards; count *= 2) shards.emplace_back(std::to_string(count), count);
  table.choice<std::size_t>("shards", "Parts of a batch that threads and processes take each on its own", shards,
                            &TrainingOptions::shards);
  table.include(optimizer_option_table(), &TrainingOptions::optimizer);
  return table;
}

}  // namespace linn
