// The options of sequence models on equations.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/equations/sequence_network.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_options.h"

namespace linn {

struct SequenceOptions : TrainingOptions {
  SequenceNetworkOptions network;
};

// `paper` and `authors` train like LINN under these presets, apart from the laws and the length term; `best` has larger
// initial values, with which all three kinds do better on validation data. Weight decay depends on the size of the
// data.
SequenceOptions sequence_preset(SequenceKind kind, Preset preset, std::size_t equations, std::size_t width = 0);

// Only the options that the kind reads.
OptionTable<SequenceNetworkOptions> sequence_network_option_table(SequenceKind kind);
OptionTable<SequenceOptions> sequence_option_table(SequenceKind kind);

}  // namespace linn
