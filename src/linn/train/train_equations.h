// Training LINN on equations, epoch by epoch, into a run folder.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/metrics/equation_metrics.h"
#include "linn/model/run_folder.h"
#include "linn/train/equation_options.h"

namespace linn {

struct EquationTrainingReport {
  std::size_t best_epoch = 0;  // the one that was kept; 0: none was trained
  std::size_t epochs = 0;      // trained so far, those before a resume included
  double seconds_per_epoch = 0.0;
  bool interrupted = false;
};

// Throws InputError if an expression of the data has no normal form of reasonable size: what can be known before a
// folder is made or replaced.
void check_expressions(EquationData& data, Form form);

// Goes on from the folder's checkpoint if it has one. After every epoch the folder holds the best model so far (by
// validation accuracy, ties by the lower loss; by the training data if there is no validation data), a line of metrics
// and a checkpoint. A listener of the context that asks to stop ends it at the next batch; what that epoch had done is
// lost, the best model is not. Throws Failure when the loss is no longer finite.
EquationTrainingReport train_equations(EquationData& data, const EquationOptions& options, Context& context,
                                       RunFolder& folder);

}  // namespace linn
