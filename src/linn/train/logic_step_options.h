// The options of a training step, and how they change over the epochs, for any task.
#pragma once

#include <algorithm>
#include <cstddef>

#include "linn/train/logic_step.h"

namespace linn {

// For a struct with the members that logic_option_table.h names, and dropout.
template <class Options>
LogicStepOptions logic_step_options(const Options& options) {
  LogicStepOptions step;
  step.regularizers.set_laws(options.law_weight);
  step.regularizers.law_share = options.law_share;
  step.regularizers.count_occurrences = options.count_occurrences;
  step.regularizers.length = options.length_weight;
  step.regularizers.squared_length = options.squared_length;
  step.plan.negation_hides_variable = options.negation_hides_variable;
  step.random_order = options.random_order;
  step.dropout = options.dropout;
  return step;
}

// The factor on the weights of the laws after so many epochs: it starts at law_boost and falls linearly to 1.
template <class Options>
float law_scale(const Options& options, std::size_t epochs_done) {
  const float until = options.law_boost_share * static_cast<float>(options.epochs);
  const float share = until <= 0.0F ? 1.0F : std::min(1.0F, static_cast<float>(epochs_done) / until);
  return options.law_boost + (1.0F - options.law_boost) * share;
}

}  // namespace linn
