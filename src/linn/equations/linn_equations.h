// Trains LINN on equations, epoch by epoch.
#pragma once

#include <memory>

#include "linn/base/context.h"
#include "linn/equations/equation_kind.h"
#include "linn/equations/equation_options.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// See train_epochs() in epoch_loop.h.
TrainingReport train_equations(const NormalizedEquations& data, const EquationOptions& options,
                               const SnapshotEpochs& snapshots, Context& context, TrainingStore& store);

// `linn`, and `linn-rl`: LINN without the laws.
std::unique_ptr<const EquationKind> linn_equation_kind();
std::unique_ptr<const EquationKind> linn_equation_without_laws_kind();

}  // namespace linn
