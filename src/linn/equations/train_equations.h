// Training LINN on equations, epoch by epoch, into a run folder.
#pragma once

#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_options.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// Throws InputError if an expression of the data has no normal form of reasonable size: what can be known before a
// folder is made or replaced.
void check_expressions(EquationData& data, Form form);

// Everything that epoch_loop.h says of train_epochs.
TrainingReport train_equations(EquationData& data, const EquationOptions& options, Context& context, RunFolder& folder,
                               const SnapshotEpochs& snapshots = {});

}  // namespace linn
