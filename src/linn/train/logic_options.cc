#include "linn/train/logic_options.h"

#include <algorithm>

#include "linn/nn/network_option_table.h"

namespace linn {
namespace {

OptionTable<PretrainOptions> pretrain_option_table() {
  OptionTable<PretrainOptions> table;
  table.integer("pretrain_steps", "Pretraining steps, in which the modules learn logic before they see data", 0,
                1'000'000, &PretrainOptions::steps);
  table.number("pretrain_spread", "Standard deviation of the variables' scores in pretraining: how certain they are",
               0.1, 100.0, &PretrainOptions::spread);
  table.number("pretrain_laws", "Weight of each law in pretraining", 0.0, 1e4, &PretrainOptions::law_weight);
  table.number("pretrain_law_share", "Share of the vectors that the laws are applied to in pretraining, scaled up",
               1e-3, 1.0, &PretrainOptions::law_share);
  return table;
}

}  // namespace

OptionTable<LogicOptions> logic_option_table() {
  OptionTable<LogicOptions> table;
  table.include(network_option_table(), &LogicOptions::network);
  table.choice<bool>("order", "Order and association of operands in training", {{"random", true}, {"fixed", false}},
                     &LogicOptions::random_order);
  table.number("laws", "Weight of each of the ten laws", 0.0, 1e4, &LogicOptions::law_weight);
  table.number("law_share", "Share of the vectors that the laws are applied to, scaled up", 1e-3, 1.0,
               &LogicOptions::law_share);
  table.number("law_boost", "Initial factor on the weight of the laws", 1.0, 1e4, &LogicOptions::law_boost);
  table.number("law_boost_share", "Share of the epochs over which that factor falls to 1", 0.0, 1.0,
               &LogicOptions::law_boost_share);
  table.number("length", "Weight of the length term", 0.0, 1e4, &LogicOptions::length_weight);
  table.choice<bool>("length_norm", "Squared or plain norm in the length term", {{"squared", true}, {"plain", false}},
                     &LogicOptions::squared_length);
  table.flag("count_occurrences", "A vector counts as often as it occurs in a batch", &LogicOptions::count_occurrences);
  table.flag("negation_hides_variable", "A negated variable counts only as its negation",
             &LogicOptions::negation_hides_variable);
  table.include(pretrain_option_table(), &LogicOptions::pretrain);
  return table;
}

LogicStepOptions logic_step_options(const LogicOptions& options, float dropout) {
  LogicStepOptions step;
  step.regularizers.set_laws(options.law_weight);
  step.regularizers.law_share = options.law_share;
  step.regularizers.count_occurrences = options.count_occurrences;
  step.regularizers.length = options.length_weight;
  step.regularizers.squared_length = options.squared_length;
  step.plan.negation_hides_variable = options.negation_hides_variable;
  step.random_order = options.random_order;
  step.dropout = dropout;
  return step;
}

float law_scale(const LogicOptions& options, std::size_t done, std::size_t epochs) {
  const float until = options.law_boost_share * static_cast<float>(epochs);
  const float share = until <= 0.0F ? 1.0F : std::min(1.0F, static_cast<float>(done) / until);
  return options.law_boost + (1.0F - options.law_boost) * share;
}

}  // namespace linn
