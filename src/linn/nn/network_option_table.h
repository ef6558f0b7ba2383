// The names under which the shape of a network is set, stored and documented.
#pragma once

#include "linn/base/options.h"
#include "linn/nn/network_options.h"

namespace linn {

OptionTable<NetworkOptions> network_option_table();

}  // namespace linn
