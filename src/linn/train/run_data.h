// The data of a run: what it was trained on, preceded by the data of the runs that it continues from.
#pragma once

#include <optional>
#include <string>

#include "linn/data/equations.h"
#include "linn/data/interactions.h"
#include "linn/model/run_config.h"
#include "linn/train/training_run.h"

namespace linn {

// Both throw InputError if a folder or file is missing or invalid. `shown`: the newest data as the user wrote it, for
// errors; absent: as in the configuration.
InteractionData read_run_interactions(const RunConfig& config, const std::optional<std::string>& shown = {});
EquationData read_run_equations(const RunConfig& config, const std::optional<std::string>& shown = {});

// Epochs of a training that continues from a run, unless it says otherwise: most is learned already.
inline constexpr std::size_t kContinuedEpochs = 10;

// Makes a configuration continue from a run: with its model, its data and its settings.
// Throws InputError unless the run has a trained model for the task.
void continue_from(const std::filesystem::path& run, std::string_view task, RunConfig& config);

// The model that a configuration continues from; null if there is none. Throws InputError if it cannot be read.
std::shared_ptr<const SafetensorsFile> base_model(const RunConfig& config);

}  // namespace linn
