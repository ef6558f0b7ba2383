// The options of training a logic network that do not depend on the task.
#pragma once

#include <cstddef>

#include "linn/base/options.h"
#include "linn/nn/network_options.h"
#include "linn/train/logic_step.h"
#include "linn/train/pretrain.h"

namespace linn {

struct LogicOptions {
  NetworkOptions network;
  bool random_order = true;  // random order and association of operands in training

  float law_weight = 0.01F;      // lambda_l, the weight of each of the ten laws
  float law_share = 1.0F;        // below 1: apply the laws to a random share of the vectors, scaled up
  float law_boost = 1.0F;        // initial factor on law_weight ...
  float law_boost_share = 0.0F;  // ... which falls to 1 over this share of the epochs
  float length_weight = 0.001F;  // lambda_ell, the weight of the length term
  bool squared_length = true;
  bool count_occurrences = false;
  bool negation_hides_variable = false;

  PretrainOptions pretrain = {.steps = 0};
};

OptionTable<LogicOptions> logic_option_table();

LogicStepOptions logic_step_options(const LogicOptions& options, float dropout);

// The factor on law_weight after `done` of `epochs` epochs, which falls linearly from law_boost to 1.
float law_scale(const LogicOptions& options, std::size_t done, std::size_t epochs);

}  // namespace linn
