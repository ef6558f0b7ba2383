// Pretraining: the modules learn logic before they see data.
//
// Modules that have not learned logic by the time the variables start to move lead the variables astray, and modules
// that learn logic from few labels also learn the wrong ones. So AND, OR and NOT are pretrained on synthetic
// expressions: every step draws new vectors, builds random expressions over them, and trains the modules to predict
// their probabilities.
//
// A vector v represents a variable that is true with probability Sim(v, T). The modules therefore learn to be soft
// where their operands are uncertain, which lets gradients pass through them later. Directions other than that of T
// carry no information, and the modules learn to ignore them. The ten laws are applied to all vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/base/context.h"
#include "linn/nn/logic_network.h"
#include "linn/train/training_store.h"

namespace linn {

struct PretrainOptions {
  std::size_t steps = 3000;
  std::size_t variables = 256;    // per step
  std::size_t expressions = 128;  // per step, with 1 to 5 clauses of 1 to 5 literals
  float spread = 4.0F;            // standard deviation of a variable's score (alpha times its cosine with T) around 0
  float law_weight = 0.1F;        // of each law
  float law_share = 1.0F;         // below 1: apply the laws to a random share of the vectors, scaled up
  double learning_rate = 1e-3;
};

struct PretrainReport {
  std::size_t steps = 0;
  double loss = 0.0;      // per expression, averaged over the last steps
  double law_mean = 0.0;  // the mean value of a law in the last step
};

// Where the state of a pretraining is stored, so that a killed one is resumed: of this member of an ensemble.
struct PretrainingPlace {
  TrainingStore* store = nullptr;  // null: nowhere
  std::size_t member = 0;
};

// Trains the parameters of the modules; T stays fixed. Leaves the network prepared. Draws from the given stream of the
// context's randomness and reports progress as "pretraining"; the listener can stop it early.
PretrainReport pretrain_modules(LogicNetwork& network, Context& context, const PretrainOptions& options,
                                std::uint64_t stream = 0, const PretrainingPlace& place = {});

// Pretrains several networks at once, each with its own batches. The report has means over the networks.
PretrainReport pretrain_modules(std::span<LogicNetwork* const> networks, Context& context,
                                const PretrainOptions& options, std::uint64_t stream = 0,
                                const PretrainingPlace& place = {});

}  // namespace linn
