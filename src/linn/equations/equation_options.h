// Everything that training LINN on equations can be told.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linn/base/options.h"
#include "linn/logic/normal_form.h"
#include "linn/train/logic_options.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_options.h"

namespace linn {

// What training minimises.
enum class EquationLoss : std::uint8_t {
  kLikelihood,   // the negative log-likelihood of the labels
  kVariational,  // their expected cost less the entropy of the variables: see equations/equation_loss.h
};

// What makes an epoch the best one on validation data.
enum class SelectBy : std::uint8_t {
  kAccuracy,
  kLikelihood,  // of the labels with their noise: tells more than accuracy where labels are few or wrong
};

struct EquationOptions : TrainingOptions, LogicOptions {
  Form form = Form::kDnf;
  EquationLoss loss = EquationLoss::kLikelihood;
  float entropy = 1.0F;            // weight of the variables' entropy in the variational loss
  bool learn_label_noise = false;  // estimate label_noise after every epoch
  SelectBy select_by = SelectBy::kAccuracy;
  std::size_t ensemble = 1;     // networks that are trained together; their answers are averaged
  std::size_t module_sets = 1;  // separately pretrained sets of modules among the networks of an ensemble
};

// lambda_l and lambda_Theta depend on the size of the data, as the paper used one pair for its smaller and one for its
// larger set. A width other than 0 replaces the preset's, and hidden layers follow it.
EquationOptions equation_preset(Preset preset, std::size_t equations, std::size_t width = 0);

// LINN−R_l: nobody teaches it logic, its modules learn from the labels alone.
void leave_out_laws(EquationOptions& options);

OptionTable<EquationOptions> equation_option_table();

}  // namespace linn
