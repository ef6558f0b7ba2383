// Teaching the modules logic before they see data.
//
// Modules that have not yet learned logic when the variables start to move lead them astray, and modules that learn
// from few labels learn the wrong ones too. So AND, OR and NOT first go to school: in every step they meet variables
// whose vectors and values are drawn anew, in random expressions, and learn to say whether these hold.
//
// A vector v stands for a variable that is true with the probability Sim(v, T), and its value is drawn so. What the
// modules learn to give is then the probability of an expression: soft where the operands are unsure, which is what
// lets gradients pass through them later. Directions other than T's carry nothing, and the modules learn to ignore
// them. The ten laws are asked of every vector beside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/base/context.h"
#include "linn/nn/logic_network.h"

namespace linn {

struct PretrainOptions {
  std::size_t steps = 3000;
  std::size_t variables = 256;    // drawn in each step
  std::size_t expressions = 128;  // over them: 1 to 5 clauses of 1 to 5 literals
  float spread = 4.0F;            // deviation of a variable's score (alpha times its cosine with T) around 0
  float law_weight = 0.1F;        // of each law
  float law_share = 1.0F;         // below 1: laws on a random share of the vectors, scaled up
  double learning_rate = 1e-3;
};

struct PretrainReport {
  std::size_t steps = 0;
  double loss = 0.0;      // of an expression, the mean over the last steps
  double law_mean = 0.0;  // the mean value of a law in the last step
};

// Changes the parameters of the modules; T stays. Leaves the network prepared. Draws from the given stream of the
// context's randomness, and reports each step; a listener that wants to stop ends it early.
PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream = 0);

// The same for several networks side by side, each in a school of its own; reports their mean.
PretrainReport pretrain_modules(std::span<LogicNetwork* const> networks, Context& context,
                                const PretrainOptions& options, std::uint64_t stream = 0);

}  // namespace linn
