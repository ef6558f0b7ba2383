// What the training of a logic network can be told, whatever its task.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/nn/network_options.h"
#include "linn/train/logic_step.h"
#include "linn/train/pretrain.h"

namespace linn {

struct LogicOptions {
  NetworkOptions network;
  bool random_order = true;  // of operands and association in training

  float law_weight = 0.01F;      // lambda_l, on each of the ten laws
  float law_share = 1.0F;        // below 1: laws on a random share of the vectors, scaled up
  float law_boost = 1.0F;        // the laws start so many times stronger ...
  float law_boost_share = 0.0F;  // ... and come down to their weight over this share of the epochs
  float length_weight = 0.001F;  // lambda_ell
  bool squared_length = true;
  bool count_occurrences = false;
  bool negation_hides_variable = false;

  PretrainOptions pretrain = {.steps = 0};
};

OptionTable<LogicOptions> logic_option_table();

LogicStepOptions logic_step_options(const LogicOptions& options, float dropout);

// The factor on the weight of the laws after `done` of `epochs` epochs: it falls linearly from law_boost to 1.
float law_scale(const LogicOptions& options, std::size_t done, std::size_t epochs);

}  // namespace linn
