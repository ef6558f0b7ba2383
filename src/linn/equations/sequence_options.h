// Everything that training a sequence model on equations can be told.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/equations/equation_options.h"
#include "linn/equations/sequence_network.h"
#include "linn/optim/optimizer.h"

namespace linn {

struct SequenceOptions {
  SequenceNetworkOptions network;
  float init = 0.01F;      // deviation of all initial values
  double flip_rate = 0.0;  // the share of labels expected to be wrong
  float dropout = 0.0F;
  std::size_t batch = 128;
  std::size_t epochs = 100;
  std::size_t patience = 100;
  OptimizerOptions optimizer;
};

// `paper` and `authors` train as LINN is trained there, apart from its laws and lengths; `best` starts from larger
// values, with which all three kinds do better on validation data. Weight decay depends on the size of the data.
SequenceOptions sequence_preset(SequenceKind kind, EquationPreset preset, std::size_t equations);

// The options that mean something to the kind.
OptionTable<SequenceNetworkOptions> sequence_network_option_table(SequenceKind kind);
OptionTable<SequenceOptions> sequence_option_table(SequenceKind kind);

}  // namespace linn
