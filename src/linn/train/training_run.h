// Trains or fits a model into a run folder or into memory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "linn/base/process_group.h"
#include "linn/base/settings.h"
#include "linn/model/run_config.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_store.h"

namespace linn {

// Where the results of a training are stored.
struct RunPlace {
  std::filesystem::path folder;                                // empty: in memory
  bool resume = false;                                         // resume the run in the folder, if there is one
  bool force = false;                                          // replace a run in the folder
  bool accept_changed_data = false;                            // resume even if the data have changed since
  std::function<void(const EpochRecord&)> listener = nullptr;  // called after every epoch
  std::shared_ptr<const SafetensorsFile> base = nullptr;       // the model to start from; null: none
};

// The configuration of the run to be resumed, if any. Throws InputError if the run is of another task.
std::optional<RunConfig> run_to_resume(const RunPlace& place, std::string_view task);

struct TrainingResult {
  TrainingReport report;
  SafetensorsFile model;
};

// Trains by epochs: creates or opens the folder and calls `train` with its store, which has the starting point, if any.
// A resumed run adopts the new settings of how long to train, unless it has already trained for longer. Throws
// InputError if its data have changed.
// All processes train, the first one alone reads and writes the folder.
TrainingResult train_into(const RunPlace& place, const RunConfig& config, std::shared_ptr<const StartingPoint> start,
                          ProcessGroup& processes, const std::function<TrainingReport(TrainingStore& store)>& train);

// Fits in closed form: calls `fit`, which must call `write` with the model. The folder is not created before that. A
// resumed run that already has a model is left unchanged.
TrainingResult fit_into(const RunPlace& place, const RunConfig& config,
                        const std::function<void(const EpochTask::Write& write)>& fit);

}  // namespace linn
