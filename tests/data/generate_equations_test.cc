#include "linn/data/generate_equations.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/file.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/normal_form.h"
#include "support/expect_error.h"
#include "support/temp_folder.h"

namespace linn {
namespace {

std::vector<std::uint8_t> values_of(const Truth& truth) {
  std::vector<std::uint8_t> values;
  for (const std::optional<bool>& value : truth) values.push_back(value.value_or(false) ? 1 : 0);
  return values;
}

std::size_t wrong_labels(const EquationData& data, const EquationList& part) {
  const std::vector<std::uint8_t> values = values_of(*data.truth);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < part.size(); ++i) {
    const float expected = evaluate(data.pool, part.expressions[i], values) ? 1.0F : 0.0F;
    wrong += part.labels[i] != expected ? 1 : 0;
  }
  return wrong;
}

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xCBF29CE484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3U;
  return hash;
}

TEST(GenerateEquations, FollowsTheRecipe) {
  const EquationData data = generate_equations(EquationRecipe{});
  EXPECT_EQ(data.train.size(), 2400U);
  EXPECT_EQ(data.validation.size(), 300U);
  EXPECT_EQ(data.test.size(), 300U);
  EXPECT_EQ(data.pool.variables().size(), 1000U);
  EXPECT_EQ(data.pool.variables().name(0), "1");
  EXPECT_EQ(data.pool.variables().name(999), "1000");
  ASSERT_TRUE(data.truth);
  EXPECT_EQ(data.truth->size(), 1000U);
  EXPECT_FALSE(data.unsplit);
}

TEST(GenerateEquations, SizesSignsAndValuesAreUniform) {
  EquationRecipe recipe;
  recipe.equations = 20'000;
  const EquationData data = generate_equations(recipe);
  std::map<std::size_t, double> clause_counts, literal_counts;
  double clauses = 0, literals = 0, negated = 0, repeating = 0;
  for (const Expr e : data.train.expressions) {
    ASSERT_TRUE(is_in_form(data.pool, e, Form::kDnf));
    const NormalForm form = clauses_as_written(data.pool, e, Form::kDnf);
    ++clause_counts[form.clauses()];
    for (std::size_t i = 0; i < form.clauses(); ++i) {
      ++clauses;
      ++literal_counts[form.clause(i).size()];
      std::set<VariableId> distinct;
      for (const Literal literal : form.clause(i)) {
        ++literals;
        negated += literal.negated() ? 1 : 0;
        distinct.insert(literal.variable());
      }
      repeating += distinct.size() < form.clause(i).size() ? 1 : 0;
    }
  }
  // All within four standard deviations.
  ASSERT_EQ(clause_counts.size(), 5U);
  ASSERT_EQ(literal_counts.size(), 5U);
  for (const auto& [size, count] : clause_counts) EXPECT_NEAR(count / 16'000, 0.2, 0.0127) << size;
  for (const auto& [size, count] : literal_counts) EXPECT_NEAR(count / clauses, 0.2, 0.0074) << size;
  EXPECT_NEAR(negated / literals, 0.5, 0.0053);
  // Two literals of a clause have the same variable with probability 1/1,000.
  EXPECT_NEAR(repeating / clauses, 0.004, 0.0012);
  EXPECT_NEAR(static_cast<double>(std::count(data.truth->begin(), data.truth->end(), true)), 500, 64);
}

TEST(GenerateEquations, NoiseFlipsItsShareButNeverTestLabels) {
  EquationRecipe recipe;
  recipe.equations = 10'000;
  const EquationData clean = generate_equations(recipe);
  EXPECT_EQ(wrong_labels(clean, clean.train), 0U);
  recipe.noise = 0.2;
  const EquationData noisy = generate_equations(recipe);
  EXPECT_EQ(wrong_labels(noisy, noisy.test), 0U);
  EXPECT_NEAR(static_cast<double>(wrong_labels(noisy, noisy.train)), 1600, 143);
  EXPECT_NEAR(static_cast<double>(wrong_labels(noisy, noisy.validation)), 200, 51);
  EXPECT_EQ(noisy.train.expressions, clean.train.expressions);
  EXPECT_EQ(noisy.test.expressions, clean.test.expressions);
  EXPECT_EQ(noisy.truth, clean.truth);
  // Whatever a lower level flips, a higher one flips too.
  recipe.noise = 0.1;
  const EquationData less = generate_equations(recipe);
  EXPECT_GT(wrong_labels(less, less.train), 0U);
  for (std::size_t i = 0; i < less.train.size(); ++i) {
    if (less.train.labels[i] != clean.train.labels[i]) ASSERT_EQ(noisy.train.labels[i], less.train.labels[i]);
  }
  recipe.noise = 1.0;
  const EquationData opposite = generate_equations(recipe);
  EXPECT_EQ(wrong_labels(opposite, opposite.train), opposite.train.size());
  EXPECT_EQ(wrong_labels(opposite, opposite.test), 0U);
}

RC_GTEST_PROP(GenerateEquations, NoiseIsNeverInTheTestPart, ()) {
  EquationRecipe recipe;
  recipe.variables = *rc::gen::inRange<std::size_t>(1, 20);
  recipe.equations = *rc::gen::inRange<std::size_t>(1, 60);
  recipe.min_clauses = *rc::gen::inRange<std::size_t>(1, 4);
  recipe.max_clauses = recipe.min_clauses + *rc::gen::inRange<std::size_t>(0, 4);
  recipe.min_literals = *rc::gen::inRange<std::size_t>(1, 4);
  recipe.max_literals = recipe.min_literals + *rc::gen::inRange<std::size_t>(0, 4);
  recipe.noise = *rc::gen::inRange(0, 101) / 100.0;
  recipe.seed = *rc::gen::arbitrary<std::uint64_t>();
  const EquationData data = generate_equations(recipe);
  RC_ASSERT(data.train.size() + data.validation.size() + data.test.size() == recipe.equations);
  RC_ASSERT(wrong_labels(data, data.test) == 0U);
  for (const Expr e : data.train.expressions) {
    const NormalForm form = clauses_as_written(data.pool, e, Form::kDnf);
    RC_ASSERT(form.clauses() >= recipe.min_clauses);
    RC_ASSERT(form.clauses() <= recipe.max_clauses);
    for (std::size_t i = 0; i < form.clauses(); ++i) {
      RC_ASSERT(form.clause(i).size() >= recipe.min_literals);
      RC_ASSERT(form.clause(i).size() <= recipe.max_literals);
    }
  }
}

TEST(GenerateEquations, TheSeedGivesTheSameBytesOnEveryPlatform) {
  EquationRecipe recipe;
  recipe.noise = 0.1;
  recipe.seed = 42;
  const TempFolder folder;
  write_equation_folder(folder / "a", generate_equations(recipe));
  write_equation_folder(folder / "b", generate_equations(recipe));
  for (const char* name : {"train.tsv", "validation.tsv", "test.tsv", "variables.tsv"}) {
    EXPECT_EQ(read_file(folder / "a" / name), read_file(folder / "b" / name)) << name;
  }
  EXPECT_EQ(fnv1a(read_file(folder / "a" / "train.tsv")), 0xB16CDBC5DEE127CBU);
  EXPECT_EQ(fnv1a(read_file(folder / "a" / "variables.tsv")), 0x9F2FB8A6CBFD5824U);
  recipe.seed = 43;
  write_equation_folder(folder / "c", generate_equations(recipe));
  EXPECT_NE(read_file(folder / "a" / "train.tsv"), read_file(folder / "c" / "train.tsv"));
}

TEST(GenerateEquations, UsesAKnownTruth) {
  ExpressionPool pool;
  for (const char* name : {"rain", "unknown", "wet"}) pool.variable(name);
  const Truth truth = {true, std::nullopt, false};
  EquationRecipe recipe;
  recipe.equations = 500;
  const EquationData data = generate_equations(recipe, std::move(pool), truth);
  EXPECT_EQ(data.truth, truth);
  EXPECT_EQ(data.train.size(), 400U);
  EXPECT_EQ(wrong_labels(data, data.train), 0U);
  std::set<VariableId> met;
  for (const Expr e : data.train.expressions) {
    for (const Literal literal : clauses_as_written(data.pool, e, Form::kDnf).literals) met.insert(literal.variable());
  }
  EXPECT_EQ(met, (std::set<VariableId>{0, 2}));
}

TEST(GenerateEquations, SharesAreExact) {
  EquationRecipe recipe;
  recipe.equations = 100;
  recipe.validation_share = 0.29;
  recipe.test_share = 0.71;
  const EquationData data = generate_equations(recipe);
  EXPECT_EQ(data.validation.size(), 29U);
  EXPECT_EQ(data.test.size(), 71U);
  EXPECT_EQ(data.train.size(), 0U);
}

template <class Change>
void expect_recipe_error(Change change, std::string_view part) {
  EquationRecipe recipe;
  change(recipe);
  expect_input_error([&] { generate_equations(recipe); }, 0, 0, part);
}

TEST(GenerateEquations, ErrorsNameTheInvalidSetting) {
  using R = EquationRecipe;
  expect_recipe_error([](R& r) { r.variables = 0; }, "variables: expected 1 to 2147483647, found 0");
  expect_recipe_error([](R& r) { r.variables = std::size_t{1} << 32U; },
                      "variables: expected 1 to 2147483647, found 4294967296");
  expect_recipe_error([](R& r) { r.equations = 0; }, "equations: expected at least 1, found 0");
  expect_recipe_error([](R& r) { r.min_clauses = 0; }, "clauses: expected at least 1, found 0..5");
  expect_recipe_error([](R& r) { r.min_clauses = 6; }, "clauses: the range 6..5 is empty");
  expect_recipe_error([](R& r) { r.min_literals = 0; }, "literals: expected at least 1, found 0..5");
  expect_recipe_error([](R& r) { r.max_literals = 0; }, "literals: the range 1..0 is empty");
  expect_recipe_error([](R& r) { r.noise = 1.5; }, "noise: expected a number between 0 and 1, found 1.5");
  expect_recipe_error([](R& r) { r.noise = std::numeric_limits<double>::quiet_NaN(); },
                      "noise: expected a number between 0 and 1, found nan");
  expect_recipe_error([](R& r) { r.validation_share = -0.1; },
                      "share of validation equations: expected a number between 0 and 1, found -0.1");
  expect_recipe_error([](R& r) { r.test_share = 2; },
                      "share of test equations: expected a number between 0 and 1, found 2");
  expect_recipe_error([](R& r) { r.test_share = 0.95; }, "0.1 and 0.95, exceed 1 in total");
  expect_input_error([] { generate_equations(R{}, ExpressionPool(), Truth{}); }, 0, 0,
                     "does not give any variable a value");
}

}  // namespace
}  // namespace linn
