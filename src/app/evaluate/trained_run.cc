#include "app/evaluate/trained_run.h"

#include <filesystem>

#include "linn/base/error.h"
#include "linn/model/run_folder.h"

namespace linn::app {

TrainedRun::TrainedRun(const std::string& folder) : path(folder), config(read_config(RunFolder::open(folder))) {}

SafetensorsFile TrainedRun::read_model() const {
  const std::filesystem::path model = RunFolder::open(path).model_path();
  if (!std::filesystem::exists(model)) {
    throw InputError("this run has no model yet; resume its training with linn train --resume", Place{path, 0, 0});
  }
  return SafetensorsFile::read(model);
}

}  // namespace linn::app
