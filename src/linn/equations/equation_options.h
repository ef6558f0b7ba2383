// The options of LINN on equations.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linn/base/options.h"
#include "linn/logic/normal_form.h"
#include "linn/train/logic_options.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_options.h"

namespace linn {

// See equations/equation_loss.h.
enum class EquationLoss : std::uint8_t {
  kLikelihood,   // the negative log-likelihood of the labels
  kVariational,  // the expected negative log-likelihood minus the entropy of the variables
};

// The criterion on validation data that selects the best epoch.
enum class SelectBy : std::uint8_t {
  kAccuracy,
  kLikelihood,  // of the noisy labels: more informative than accuracy if labels are few or noisy
};

struct EquationOptions : TrainingOptions, LogicOptions {
  Form form = Form::kDnf;
  EquationLoss loss = EquationLoss::kLikelihood;
  float entropy = 1.0F;            // weight of the variables' entropy in the variational loss
  bool learn_label_noise = false;  // estimate label_noise after every epoch
  SelectBy select_by = SelectBy::kAccuracy;
  std::size_t ensemble = 1;     // number of networks that are trained together and averaged
  std::size_t module_sets = 1;  // separately pretrained sets of modules, shared among the networks of the ensemble
};

// lambda_l and lambda_Theta depend on the size of the data, as the paper used different values for its two data sets. A
// width other than 0 replaces that of the preset, and the hidden layers scale with it.
EquationOptions equation_preset(Preset preset, std::size_t equations, std::size_t width = 0);

// LINN−R_l: without laws and pretraining, so that the modules learn from the labels only.
void leave_out_laws(EquationOptions& options);

OptionTable<EquationOptions> equation_option_table();

}  // namespace linn
