// Everything that training LINN on equations can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linn/base/options.h"
#include "linn/logic/normal_form.h"
#include "linn/nn/network_options.h"
#include "linn/optim/optimizer.h"
#include "linn/train/pretrain.h"

namespace linn {

enum class EquationPreset : std::uint8_t { kBest, kPaper, kAuthors };

// What is made small in training.
enum class EquationLoss : std::uint8_t {
  kLikelihood,   // how likely the labels are
  kVariational,  // what they cost on average, less what is not known of the variables: see train/equation_loss.h
};

// What makes an epoch the best one on validation data.
enum class SelectBy : std::uint8_t {
  kAccuracy,
  kLikelihood,  // of the labels as they are seen, flips included: tells more than accuracy where labels are few or
                // wrong
};

struct EquationOptions {
  NetworkOptions network;
  Form form = Form::kDnf;
  bool random_order = true;  // of operands and association in training
  float init = 0.01F;        // deviation of all initial values

  float law_weight = 0.01F;  // lambda_l, on each of the ten laws
  float law_share = 1.0F;
  float law_boost = 1.0F;        // the laws start so many times stronger ...
  float law_boost_share = 0.0F;  // ... and come down to their weight over this share of the epochs
  float length_weight = 0.001F;  // lambda_ell
  bool squared_length = true;
  bool count_occurrences = false;
  bool negation_hides_variable = false;

  EquationLoss loss = EquationLoss::kLikelihood;
  float entropy = 1.0F;          // weight of the variables' entropy in the variational loss
  double flip_rate = 0.0;        // the share of labels expected to be wrong ...
  bool learn_flip_rate = false;  // ... at first, and then estimated after every epoch
  float dropout = 0.0F;
  std::size_t batch = 128;
  std::size_t epochs = 100;
  SelectBy select_by = SelectBy::kAccuracy;
  std::size_t patience = 100;  // epochs without a better one before training stops
  OptimizerOptions optimizer;
  PretrainOptions pretrain = {.steps = 0};
  std::size_t ensemble = 1;  // networks that are trained, and answer as their mean
  std::size_t schools = 1;   // sets of modules among the networks of an ensemble
};

// lambda_l and lambda_Theta depend on the size of the data, as the
// paper used one pair for its smaller and one for its larger set. A width other than 0 replaces the preset's, and
// hidden layers follow it.
EquationOptions equation_preset(EquationPreset preset, std::size_t equations, std::size_t width = 0);

// The preset with some settings changed, each by its name in the table below. LINN−R_l has the laws left out.
enum class Laws : std::uint8_t { kTaught, kLeftOut };
EquationOptions changed_preset(EquationPreset preset, std::size_t equations,
                               std::span<const std::pair<std::string, std::string>> settings,
                               Laws laws = Laws::kTaught);

OptionTable<EquationOptions> equation_option_table();

}  // namespace linn
