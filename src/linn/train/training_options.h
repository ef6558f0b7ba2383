// What every training by epochs can be told.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct TrainingOptions {
  std::size_t batch = 128;
  std::size_t epochs = 100;
  std::size_t patience = 100;  // epochs without a better one before training stops
  float dropout = 0.0F;
  float init = 0.01F;        // standard deviation of all initial values
  double label_noise = 0.0;  // share of labels expected to be wrong
  OptimizerOptions optimizer;
};

OptionTable<TrainingOptions> training_option_table();

}  // namespace linn
