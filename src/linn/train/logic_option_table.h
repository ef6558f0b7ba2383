// The names under which the training of a logic network is set, stored and documented, whatever its task.
#pragma once

#include "linn/base/options.h"

namespace linn {

// For a struct that has these members: random_order, init, law_weight, law_share, law_boost, law_boost_share,
// length_weight, squared_length, count_occurrences, negation_hides_variable, pretrain.
template <class Struct>
void add_logic_training_options(OptionTable<Struct>& table) {
  table.template choice<bool>(
      "order", "Order and association of operands in training", {{"random", true}, {"fixed", false}},
      [](auto& o) -> auto& { return o.random_order; });
  table.number(
      "laws", "Weight of each of the ten laws", 0.0, 1e4, [](auto& o) -> auto& { return o.law_weight; });
  table.number(
      "law_share", "Share of the vectors that the laws are applied to, scaled up", 1e-3, 1.0,
      [](auto& o) -> auto& { return o.law_share; });
  table.number(
      "law_boost", "How many times stronger the laws are at first", 1.0, 1e4,
      [](auto& o) -> auto& { return o.law_boost; });
  table.number(
      "law_boost_share", "Share of the epochs over which that decays", 0.0, 1.0,
      [](auto& o) -> auto& { return o.law_boost_share; });
  table.number(
      "length", "Weight of the length term", 0.0, 1e4, [](auto& o) -> auto& { return o.length_weight; });
  table.template choice<bool>(
      "length_norm", "Squared or plain norm in the length term", {{"squared", true}, {"plain", false}},
      [](auto& o) -> auto& { return o.squared_length; });
  table.flag(
      "count_occurrences", "A vector counts as often as it occurs in a batch",
      [](auto& o) -> auto& { return o.count_occurrences; });
  table.flag(
      "negation_hides_variable", "A negated variable counts only as its negation",
      [](auto& o) -> auto& { return o.negation_hides_variable; });
  table.integer(
      "pretrain_steps", "Steps in which the modules alone learn logic, before they see data", 0, 1'000'000,
      [](auto& o) -> auto& { return o.pretrain.steps; });
  table.number(
      "pretrain_spread", "How sure the variables of these steps are: deviation of their score", 0.1, 100.0,
      [](auto& o) -> auto& { return o.pretrain.spread; });
  table.number(
      "pretrain_laws", "Weight of each law in these steps", 0.0, 1e4,
      [](auto& o) -> auto& { return o.pretrain.law_weight; });
  table.number(
      "pretrain_law_share", "Share of the vectors that these are applied to, scaled up", 1e-3, 1.0,
      [](auto& o) -> auto& { return o.pretrain.law_share; });
}

}  // namespace linn
