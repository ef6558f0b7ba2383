#include "app/evaluate/trained_run.h"

#include "linn/base/error.h"
#include "linn/model/run_folder.h"

namespace linn::app {

TrainedRun::TrainedRun(const std::string& folder) : path(folder), config(read_config(RunFolder::open(folder))) {}

SafetensorsFile TrainedRun::read_model() const {
  const RunFolder run = RunFolder::open(path);
  if (!run.has_model()) {
    throw InputError("this run has no model yet; resume its training with linn train --resume", Place{path, 0, 0});
  }
  return SafetensorsFile::read(run.model_path());
}

}  // namespace linn::app
