// A training from its settings to its run folder, whatever is trained.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "linn/base/settings.h"
#include "linn/model/run_config.h"
#include "linn/model/run_folder.h"
#include "linn/train/epoch_loop.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_store.h"

namespace linn {

// Where a training goes.
struct RunPlace {
  std::filesystem::path folder;  // empty: into memory
  bool resume = false;           // go on where an earlier run in the folder was stopped; start afresh if there is none
  bool force = false;            // replace a run that is there
  std::function<void(const EpochRecord&)> listener = nullptr;  // called after every epoch
};

// The run in the folder, where it is to be resumed and there is one. Throws InputError where it is one of another task.
std::optional<RunConfig> run_to_resume(const RunPlace& place, std::string_view task);

// A trained model in its file, and how training went.
struct TrainingResult {
  TrainingReport report;
  SafetensorsFile model;
};

// Trains by epochs: calls `train` with a store in the place. The folder is made, or taken over, right before. A run that
// is resumed keeps settings of how long it trains, unless it has trained for longer.
TrainingResult train_into(const RunPlace& place, const RunConfig& config,
                          const std::function<TrainingReport(TrainingStore& store)>& train);

// Fits at once: calls `fit`, which writes the model into the file that it is given. The folder is only touched when there
// is something to put into it. A run that is resumed and has its model stays as it is.
TrainingResult fit_into(const RunPlace& place, const RunConfig& config,
                        const std::function<void(const EpochTask::Write& write)>& fit);

}  // namespace linn
