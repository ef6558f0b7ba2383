// Trains sequence models on equations, epoch by epoch.
#pragma once

#include <memory>

#include "linn/base/context.h"
#include "linn/equations/equation_kind.h"
#include "linn/equations/sequence_options.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// See train_epochs() in epoch_loop.h.
TrainingReport train_sequence_equations(const NormalizedEquations& data, const SequenceOptions& options,
                                        const SnapshotEpochs& snapshots, Context& context, TrainingStore& store);

std::unique_ptr<const EquationKind> bi_rnn_kind();
std::unique_ptr<const EquationKind> bi_lstm_kind();
std::unique_ptr<const EquationKind> cnn_kind();

}  // namespace linn
