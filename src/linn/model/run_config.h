// The configuration of a run, as stored in its folder.
#pragma once

#include "linn/base/json.h"
#include "linn/model/run_folder.h"

namespace linn {

// Reads the configuration of a run. Throws InputError if it is not one that linn wrote.
Json read_config(const RunFolder& folder);

}  // namespace linn
