// What a run was told, as its folder holds it.
#pragma once

#include "linn/base/json.h"
#include "linn/model/run_folder.h"

namespace linn {

// The configuration of a run. Throws InputError where it is not what linn wrote.
Json read_config(const RunFolder& folder);

}  // namespace linn
