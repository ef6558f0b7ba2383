// Random equations with a hidden truth (paper, section 4).
#pragma once

#include <cstdint>

#include "linn/data/equations.h"

namespace linn {

struct EquationRecipe {
  std::size_t variables = 1000;
  std::size_t equations = 3000;
  // Each expression is a DNF of min..max clauses of min..max literals, negated with probability 1/2. Variables are
  // drawn with replacement, so a clause may repeat one, as in the paper's data sets.
  std::size_t min_clauses = 1, max_clauses = 5;
  std::size_t min_literals = 1, max_literals = 5;
  // The fraction of training and validation labels that are flipped; test labels stay clean.
  double noise = 0.0;
  // The split; the remainder is for training.
  double validation_share = 0.1, test_share = 0.1;
  std::uint64_t seed = 0;
};

// Generates a data set with variables named 1, 2, ... and random values. A recipe gives the same data on every
// platform, and the noise changes only labels. Throws InputError naming the invalid setting.
EquationData generate_equations(const EquationRecipe& recipe);

// Generates equations over the variables of a known truth (`variables` of the recipe is ignored).
EquationData generate_equations(const EquationRecipe& recipe, ExpressionPool pool, const Truth& truth);

}  // namespace linn
