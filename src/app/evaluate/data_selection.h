// The data that a trained run is evaluated on.
#pragma once

#include <optional>
#include <string>

#include "linn/recommend/protocol/histories.h"

namespace linn::app {

struct DataSelection {
  std::string data;            // a data folder or, for equations, a file; empty: the data the run was trained on
  std::optional<Split> split;  // none: test or, of a file of equations, all of it
};

}  // namespace linn::app
