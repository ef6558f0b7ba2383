// The names under which an optimizer is set, stored and documented.
#pragma once

#include "linn/base/options.h"
#include "linn/optim/optimizer.h"

namespace linn {

OptionTable<OptimizerOptions> optimizer_option_table();

}  // namespace linn
