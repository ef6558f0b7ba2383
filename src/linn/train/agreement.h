// Whether the processes of a group are about to do the same.
#pragma once

#include "linn/base/process_group.h"
#include "linn/model/run_config.h"

namespace linn {

// Throws Failure in all processes unless all are the same program on the same kind of processor, and have the same
// settings and data.
void require_agreement(ProcessGroup& processes, const RunConfig& config);

}  // namespace linn
