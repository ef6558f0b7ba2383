// The options that all models trained by epochs share.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct TrainingOptions {
  std::size_t batch = 128;
  std::size_t epochs = 100;
  std::size_t patience = 100;  // epochs without improvement before training stops
  float dropout = 0.0F;
  float init = 0.01F;        // standard deviation of all initial values
  double label_noise = 0.0;  // expected share of wrong labels
  double replay = 0.2;       // see train/replay.h
  std::size_t shards = 1;    // see train/shards.h
  OptimizerOptions optimizer;
};

// A power of two.
inline constexpr std::size_t kMostShards = 1024;

OptionTable<TrainingOptions> training_option_table();

}  // namespace linn
