// Pretraining: the modules learn logic before they see data.
//
// Modules that have not learned logic when the variables start to move lead the variables astray, and modules that
// learn logic from few labels also learn the wrong labels. So AND, OR and NOT are pretrained on synthetic expressions:
// every step draws new variables, vectors and truth values, builds random expressions over them, and trains the modules
// to predict whether these hold.
//
// A vector v stands for a variable that is true with probability Sim(v, T), and its truth value is drawn accordingly.
// The modules therefore learn the probability of an expression: soft where the operands are uncertain, which lets
// gradients pass through them later. Directions other than T's carry no information, and the modules learn to ignore
// them. The ten laws are added for every vector.
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
  float spread = 4.0F;            // standard deviation of a variable's score (alpha times its cosine with T) around 0
  float law_weight = 0.1F;        // of each law
  float law_share = 1.0F;         // below 1: laws on a random share of the vectors, scaled up
  double learning_rate = 1e-3;
};

struct PretrainReport {
  std::size_t steps = 0;
  double loss = 0.0;      // per expression, the mean over the last steps
  double law_mean = 0.0;  // the mean value of a law in the last step
};

// Changes the parameters of the modules; T stays. Leaves the network prepared. Draws from the given stream of the
// context's randomness and reports each step; a listener can end it early.
PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream = 0);

// The same for several networks at once, each with its own batches; reports their mean.
PretrainReport pretrain_modules(std::span<LogicNetwork* const> networks, Context& context,
                                const PretrainOptions& options, std::uint64_t stream = 0);

}  // namespace linn
