// Teaching the modules logic before they see data.
//
// Modules that have not yet learned logic when the variables start to move lead them astray. So AND, OR and NOT are
// first trained alone: on the ten laws over vectors that are drawn anew in every step, and over T and F themselves,
// which makes truth tables of the laws; and on the truth tables as equations (T AND F = 0, ...).
#pragma once

#include <cstddef>
#include <cstdint>

#include "linn/base/context.h"
#include "linn/nn/logic_network.h"

namespace linn {

struct PretrainOptions {
  std::size_t steps = 500;
  std::size_t vectors = 256;        // drawn in each step
  float deviation = 0.1F;           // of their elements, which are normal
  float law_weight = 1.0F;          // of each law
  float truth_table_weight = 1.0F;  // of each line of the truth tables
  double learning_rate = 1e-3;
};

struct PretrainReport {
  double first_law_mean = 0.0;  // mean value of a law over the vectors, in the first step
  double last_law_mean = 0.0;   // and in the last one
  double truth_table_loss = 0.0;
  std::size_t steps = 0;
};

// Changes the parameters of the modules; T stays. Leaves the network prepared. Draws from the given stream of the
// context's randomness, and reports each step; a listener that wants to stop ends it early.
PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream = 0);

}  // namespace linn
