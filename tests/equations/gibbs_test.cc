#include "linn/equations/gibbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/random.h"
#include "linn/data/generate_equations.h"
#include "linn/equations/clause_model.h"
#include "linn/equations/gibbs_chain.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/parse.h"

namespace linn {
namespace {

using Values = std::vector<std::uint8_t>;

EquationList equations_of(ExpressionPool& pool, const std::vector<std::string>& texts) {
  EquationList list;
  for (const std::string& text : texts) {
    const Equation equation = parse_equation(pool, text);
    list.add(equation.expression, equation.label);
  }
  return list;
}

void add_variables(ExpressionPool& pool, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) pool.variable("x" + std::to_string(i));
}

Expr random_literal(ExpressionPool& pool, Random& random) {
  const Expr variable = pool.variable(static_cast<VariableId>(random.below(pool.variables().size())));
  return random.chance(0.5) ? variable : pool.negation(variable);
}

// Nested chains of all connectives. With few variables, they repeat within and across clauses.
Expr random_tree(ExpressionPool& pool, Random& random, int depth) {
  if (depth == 0 || random.chance(0.2)) return random_literal(pool, random);
  constexpr std::array kOps = {Op::kAnd, Op::kOr, Op::kXor, Op::kImplies, Op::kIff};
  const Op op = kOps[random.below(kOps.size())];
  std::vector<Expr> operands(2 + random.below(2));
  for (Expr& operand : operands) operand = random_tree(pool, random, depth - 1);
  const Expr chain = pool.chain(op, operands);
  return random.chance(0.2) ? pool.negation(chain) : chain;
}

// A DNF if `outer` is kOr, a CNF if it is kAnd. Literals may repeat and contradict each other.
Expr random_clauses(ExpressionPool& pool, Random& random, Op outer) {
  std::vector<Expr> clauses(1 + random.below(4));
  for (Expr& clause : clauses) {
    std::vector<Expr> literals(1 + random.below(4));
    for (Expr& literal : literals) literal = random_literal(pool, random);
    clause = pool.chain(outer == Op::kOr ? Op::kAnd : Op::kOr, literals);
  }
  return pool.chain(outer, clauses);
}

Expr random_expression(ExpressionPool& pool, Random& random) {
  switch (random.below(3)) {
    case 0:
      return random_clauses(pool, random, Op::kOr);
    case 1:
      return random_clauses(pool, random, Op::kAnd);
    default:
      return random_tree(pool, random, 3);
  }
}

EquationList random_equations(ExpressionPool& pool, Random& random, std::size_t count, bool soft) {
  constexpr std::array kSoft = {0.0F, 0.1F, 0.3F, 0.5F, 0.8F, 1.0F};
  EquationList list;
  for (std::size_t i = 0; i < count; ++i) {
    const Expr e = random_expression(pool, random);
    list.add(e, soft ? kSoft[random.below(kSoft.size())] : static_cast<float>(random.below(2)));
  }
  return list;
}

double log_likelihood(const ExpressionPool& pool, const EquationList& list, const Values& values, double noise) {
  double sum = 0.0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const double q = static_cast<double>(list.labels[i]);
    const bool truth = evaluate(pool, list.expressions[i], values);
    sum += std::log(truth ? q * (1 - noise) + (1 - q) * noise : (1 - q) * (1 - noise) + q * noise);
  }
  return sum;
}

Values assignment(std::size_t variables, std::size_t number) {
  Values values(variables);
  for (std::size_t v = 0; v < variables; ++v) values[v] = static_cast<std::uint8_t>((number >> v) & 1U);
  return values;
}

struct Posterior {
  std::vector<double> variables, expressions;
  double noise = 0.0;
};

// The naive implementation: sums over all assignments, and over the noise rates with their prior weights.
Posterior enumerate(const ExpressionPool& pool, const EquationList& list, const std::vector<Expr>& queries,
                    const std::vector<std::pair<double, double>>& noise_rates) {
  const std::size_t n = pool.variables().size();
  Posterior sum{std::vector<double>(n), std::vector<double>(queries.size()), 0.0};
  double total = 0.0;
  for (std::size_t number = 0; number < (std::size_t{1} << n); ++number) {
    const Values values = assignment(n, number);
    double weight = 0.0;
    for (const auto& [noise, prior] : noise_rates) {
      const double w = prior * std::exp(log_likelihood(pool, list, values, noise));
      weight += w;
      sum.noise += noise * w;
    }
    total += weight;
    for (std::size_t v = 0; v < n; ++v) sum.variables[v] += weight * values[v];
    for (std::size_t i = 0; i < queries.size(); ++i) {
      sum.expressions[i] += evaluate(pool, queries[i], values) ? weight : 0.0;
    }
  }
  for (double& p : sum.variables) p /= total;
  for (double& p : sum.expressions) p /= total;
  sum.noise /= total;
  return sum;
}

void expect_near(const std::vector<double>& actual, const std::vector<double>& expected, double tolerance) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], tolerance) << "at " << i;
}

double accuracy(const std::vector<double>& probabilities, const std::vector<float>& labels) {
  double right = 0.0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += (probabilities[i] >= 0.5) == (labels[i] > 0.5F) ? 1.0 : 0.0;
  return right / static_cast<double>(labels.size());
}

TEST(GibbsChain, KeepsCountsAndConditionalsExact) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    ExpressionPool pool;
    add_variables(pool, 3 + random.below(5));
    const EquationList list = random_equations(pool, random, 12, round % 2 == 1);
    const ClauseModel model = make_clause_model(pool, list);
    GibbsChain chain(model, Random(2, static_cast<std::uint64_t>(round)), 0.2);
    for (int sweep = 0; sweep < 20; ++sweep) {
      chain.sweep();
      Values values(chain.values().begin(), chain.values().end());
      for (std::size_t v = 0; v < values.size(); ++v) {
        Values with = values, without = values;
        with[v] = 1;
        without[v] = 0;
        const double expected = log_likelihood(pool, list, with, 0.2) - log_likelihood(pool, list, without, 0.2);
        ASSERT_NEAR(chain.log_odds(v), expected, 1e-6);
      }
      // Labels of 1/2 are left out, and contribute log(1/2) each.
      const double neutral = static_cast<double>(std::ranges::count(list.labels, 0.5F)) * std::log(0.5);
      ASSERT_NEAR(chain.log_likelihood() + neutral, log_likelihood(pool, list, values, 0.2), 1e-5);
    }
  }
}

TEST(ClauseModel, UsesTheSmallerForm) {
  // (a0 | b0) & (a1 | b1) & ... has a DNF of 2^20 clauses, and so has its negation a CNF.
  std::string text = "(a0 | b0)";
  for (int i = 1; i < 20; ++i) text += " & (a" + std::to_string(i) + " | b" + std::to_string(i) + ")";
  ExpressionPool pool;
  const EquationList list = equations_of(pool, {text + " = 1", "!(" + text + ") = 1", "!!(" + text + ") = 0.75"});
  const ClauseModel model = make_clause_model(pool, list);
  EXPECT_EQ(model.clauses(), 60U);
  EXPECT_EQ(model.occurrences.size(), 120U);
}

TEST(ClauseModel, DropsRepeatsContradictionsAndNeutralLabels) {
  ExpressionPool pool;
  const EquationList list = equations_of(pool, {"a & a & b | a & !a | b = 1", "c | d = 0.5"});
  const ClauseModel model = make_clause_model(pool, list);
  EXPECT_EQ(model.equations(), 1U);
  EXPECT_EQ(model.clause_sizes, (std::vector<std::uint32_t>{2, 1}));
  ASSERT_EQ(model.occurrences_of(1).size(), 2U);
  EXPECT_FALSE(model.occurrences_of(1)[0].last_of_equation());
  EXPECT_TRUE(model.occurrences_of(1)[1].last_of_equation());
  EXPECT_TRUE(model.occurrences_of(2).empty());
}

class GibbsPosterior : public testing::TestWithParam<std::tuple<double, bool>> {};

TEST_P(GibbsPosterior, MatchesEnumeration) {
  const auto [noise, soft] = GetParam();
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed, 3);
    ExpressionPool pool;
    add_variables(pool, 4 + random.below(5));
    const EquationList list = random_equations(pool, random, 10, soft);
    std::vector<Expr> queries;
    for (int i = 0; i < 10; ++i) queries.push_back(random_expression(pool, random));
    const GibbsResult result =
        gibbs_reason(pool, list, queries, {.noise = noise, .chains = 20, .burn_in = 100, .samples = 2500});
    const Posterior expected = enumerate(pool, list, queries, {{noise, 1.0}});
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_near(result.variables, expected.variables, 0.02);
    expect_near(result.expressions, expected.expressions, 0.02);
    EXPECT_EQ(result.noise, noise);
  }
}

INSTANTIATE_TEST_SUITE_P(Rates, GibbsPosterior,
                         testing::Combine(testing::Values(0.05, 0.2, 0.4, 0.5), testing::Bool()));

TEST(Gibbs, CleanLabelsAreHardConstraints) {
  // Labels follow from a hidden assignment, so that at least one assignment satisfies all equations.
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed, 4);
    ExpressionPool pool;
    add_variables(pool, 9);
    const Values truth = assignment(9, random.below(512));
    EquationList list = random_equations(pool, random, 7, false);
    for (std::size_t i = 0; i < list.size(); ++i) {
      list.labels[i] = evaluate(pool, list.expressions[i], truth) ? 1.0F : 0.0F;
    }
    const GibbsResult result =
        gibbs_reason(pool, list, list.expressions, {.noise = 0.0, .chains = 200, .burn_in = 200, .samples = 400});
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_near(result.variables, enumerate(pool, list, {}, {{0.0, 1.0}}).variables, 0.06);
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_NEAR(result.expressions[i], static_cast<double>(list.labels[i]), 0.02);
    }
  }
}

// The prior as documented: Beta(1, 9) below 1/2.
std::vector<std::pair<double, double>> prior_of_noise() {
  std::vector<std::pair<double, double>> rates;
  for (int i = 0; i < 200; ++i) {
    const double noise = (i + 0.5) / 400.0;
    rates.emplace_back(noise, std::pow(1.0 - noise, 8));
  }
  return rates;
}

TEST(Gibbs, EstimatedNoiseMatchesEnumeration) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed, 5);
    ExpressionPool pool;
    add_variables(pool, 5);
    const EquationList list = random_equations(pool, random, 12, seed % 2 == 1);
    const GibbsResult result = gibbs_reason(pool, list, {}, {.chains = 20, .burn_in = 100, .samples = 3000});
    const Posterior expected = enumerate(pool, list, {}, prior_of_noise());
    SCOPED_TRACE("seed " + std::to_string(seed));
    expect_near(result.variables, expected.variables, 0.025);
    EXPECT_NEAR(result.noise, expected.noise, 0.01);
  }
}

TEST(Gibbs, EstimatesTheNoiseOfGeneratedData) {
  for (const double noise : {0.0, 0.05, 0.15}) {
    const EquationRecipe recipe{.variables = 150, .equations = 1200, .noise = noise, .seed = 8};
    EquationData data = generate_equations(recipe);
    const GibbsResult result = gibbs_reason(data.pool, data.train, {}, {.chains = 4, .burn_in = 200, .samples = 100});
    EXPECT_NEAR(result.noise, noise, noise == 0.0 ? 0.005 : 0.03);
    EXPECT_NEAR(result.contradicted, noise * static_cast<double>(data.train.size()), noise == 0.0 ? 2.0 : 30.0);
  }
}

TEST(Gibbs, PredictsUnseenEquations) {
  EquationData data = generate_equations({.variables = 200, .equations = 1100, .test_share = 0.4, .seed = 3});
  ASSERT_GE(data.train.size(), 540U);
  EquationList evidence = data.train;
  for (std::size_t i = 0; i < data.validation.size() && evidence.size() < 600; ++i) {
    evidence.add(data.validation.expressions[i], data.validation.labels[i]);
  }
  for (const std::optional<double> noise : {std::optional(0.0), std::optional<double>()}) {
    const GibbsResult result =
        gibbs_reason(data.pool, evidence, data.test.expressions, {.noise = noise, .chains = 8, .threads = 2});
    EXPECT_GT(accuracy(result.expressions, data.test.labels), 0.95);
    EXPECT_EQ(result.chains_used, 8U);
  }
}

TEST(Gibbs, DoesNotDependOnThreads) {
  EquationData data = generate_equations({.variables = 60, .equations = 200, .noise = 0.1, .seed = 5});
  GibbsOptions options{.chains = 5, .burn_in = 50, .samples = 20, .seed = 9};
  const GibbsResult one = gibbs_reason(data.pool, data.train, data.test.expressions, options);
  for (const std::size_t threads : {0, 2, 3, 8}) {
    options.threads = threads;
    const GibbsResult many = gibbs_reason(data.pool, data.train, data.test.expressions, options);
    EXPECT_EQ(one.variables, many.variables);
    EXPECT_EQ(one.expressions, many.expressions);
    EXPECT_EQ(one.noise, many.noise);
  }
  options.seed = 10;
  EXPECT_NE(one.variables, gibbs_reason(data.pool, data.train, {}, options).variables);
}

TEST(Gibbs, HandlesContradictions) {
  ExpressionPool pool;
  const EquationList list = equations_of(pool, {"a = 1", "a = 0", "b = 1", "b & !b = 1", "T = 0", "!b | c = 1"});
  const GibbsOptions options{.samples = 2000};
  const auto with_noise = [&](double noise) {
    GibbsOptions changed = options;
    changed.noise = noise;
    return changed;
  };
  // Any assignment contradicts at least three labels; without noise no more than these should be.
  const GibbsResult hard = gibbs_reason(pool, list, {}, with_noise(0.0));
  expect_near(hard.variables, {0.5, 1.0, 1.0}, 0.03);
  EXPECT_NEAR(hard.contradicted, 3.0, 0.03);
  const GibbsResult known = gibbs_reason(pool, list, {}, with_noise(0.1));
  expect_near(known.variables, enumerate(pool, list, {}, {{0.1, 1.0}}).variables, 0.02);
  const GibbsResult estimated = gibbs_reason(pool, list, {}, options);
  const Posterior expected = enumerate(pool, list, {}, prior_of_noise());
  expect_near(estimated.variables, expected.variables, 0.02);
  EXPECT_NEAR(estimated.noise, expected.noise, 0.01);
}

TEST(Gibbs, DropsStuckChains) {
  // Parities of three variables have many local optima, and one assignment that satisfies all.
  Random random(6);
  ExpressionPool pool;
  add_variables(pool, 30);
  Values truth(30);
  for (auto& value : truth) value = static_cast<std::uint8_t>(random.below(2));
  EquationList list;
  while (list.size() < 60) {
    std::array<Expr, 3> operands;
    for (Expr& operand : operands) operand = pool.variable(static_cast<VariableId>(random.below(30)));
    const Expr parity = pool.chain(Op::kXor, operands);
    list.add(parity, evaluate(pool, parity, truth) ? 1.0F : 0.0F);
  }
  const GibbsResult result = gibbs_reason(pool, list, {}, {.noise = 0.0, .chains = 32});
  EXPECT_LT(result.chains_used, 32U);
  for (std::size_t v = 0; v < truth.size(); ++v) EXPECT_NEAR(result.variables[v], truth[v], 0.05);
}

TEST(Gibbs, ReturnsThePriorWithoutEquations) {
  ExpressionPool pool;
  add_variables(pool, 3);
  const std::vector<Expr> queries = {parse_expression(pool, "x0 & x1"), parse_expression(pool, "x0 xor x1 xor x2"),
                                     pool.constant(true)};
  const GibbsResult result = gibbs_reason(pool, {}, queries);
  EXPECT_EQ(result.variables, (std::vector<double>{0.5, 0.5, 0.5}));
  expect_near(result.expressions, {0.25, 0.5, 1.0}, 0.05);

  ExpressionPool empty;
  EXPECT_TRUE(gibbs_reason(empty, {}, {}).variables.empty());
}

TEST(Gibbs, VariablesInNoEquationStayAtHalf) {
  ExpressionPool pool;
  add_variables(pool, 1);
  const EquationList list = equations_of(pool, {"y = 1", "z = 0.5"});
  const GibbsResult result = gibbs_reason(pool, list, {}, {.noise = 0.0});
  EXPECT_EQ(result.variables[0], 0.5);
  EXPECT_GT(result.variables[1], 0.99);
  EXPECT_EQ(result.variables[2], 0.5);
}

TEST(Gibbs, RejectsValuesOutOfRange) {
  ExpressionPool pool;
  const EquationList list = equations_of(pool, {"a = 1"});
  EXPECT_THROW(gibbs_reason(pool, list, {}, {.noise = -0.1}), InputError);
  EXPECT_THROW(gibbs_reason(pool, list, {}, {.noise = 0.6}), InputError);
  EXPECT_THROW(gibbs_reason(pool, list, {}, {.noise = std::nan("")}), InputError);
  EXPECT_THROW(gibbs_reason(pool, list, {}, {.chains = 0}), InputError);
  EXPECT_THROW(gibbs_reason(pool, list, {}, {.samples = 0}), InputError);
  EXPECT_NO_THROW(gibbs_reason(pool, list, {}, {.burn_in = 0, .samples = 1}));
  for (const float label : {-1.0F, 1.5F, std::numeric_limits<float>::quiet_NaN()}) {
    EquationList wrong;
    wrong.add(pool.variable("a"), label);
    EXPECT_THROW(gibbs_reason(pool, wrong, {}), InputError);
  }
}

TEST(Gibbs, NamesTheEquationThatIsTooLarge) {
  std::string text = "x0";
  for (int i = 1; i < 24; ++i) text += " xor x" + std::to_string(i);
  ExpressionPool pool;
  const EquationList list = equations_of(pool, {"x0 = 1", text + " = 1"});
  try {
    gibbs_reason(pool, list, {}, {.limits = {10'000}});
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_EQ(error.message().rfind("equation 2: ", 0), 0U) << error.message();
  }
  // Queries have no such limit.
  EXPECT_NO_THROW(gibbs_reason(pool, {}, std::vector{list.expressions[1]}, {.samples = 10}));
}

}  // namespace
}  // namespace linn
