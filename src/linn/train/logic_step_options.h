// What a step is told of a training's options, whatever its task.
#pragma once

#include "linn/train/logic_step.h"

namespace linn {

// For a struct that has the members which logic_option_table.h names, and dropout.
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

}  // namespace linn
