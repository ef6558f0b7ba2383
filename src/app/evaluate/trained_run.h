// A run folder that holds a trained model.
#pragma once

#include <string>

#include "linn/model/run_config.h"
#include "linn/model/safetensors.h"

namespace linn::app {

struct TrainedRun {
  // Throws InputError if the folder is not a run.
  explicit TrainedRun(const std::string& folder);

  // Throws InputError if no epoch has finished yet.
  SafetensorsFile read_model() const;

  std::string path;
  RunConfig config;
};

}  // namespace linn::app
