// Training a sequence model on equations, epoch by epoch, into a run folder.
#pragma once

#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/equations/sequence_options.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// Everything that epoch_loop.h says of train_epochs.
TrainingReport train_sequence_equations(EquationData& data, const SequenceOptions& options, Context& context,
                                        RunFolder& folder, const SnapshotEpochs& snapshots = {});

}  // namespace linn
