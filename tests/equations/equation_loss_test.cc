#include "linn/equations/equation_loss.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "linn/base/random.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 6;
constexpr double kNoise = 0.1;

// No variable occurs twice, so that the probability of the expression factorizes.
NormalForm random_form(Random& random) {
  std::vector<VariableId> order(kVariables);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  NormalForm form;
  std::size_t next = 0;
  for (int clause = 0; clause < 2; ++clause) {
    std::vector<Literal> literals;
    for (std::int64_t i = random.between(1, 3); i > 0; --i) {
      literals.push_back(Literal::of(order[next++], random.chance(0.5)));
    }
    form.add_clause(literals);
  }
  return form;
}

bool holds(const NormalForm& form, unsigned assignment) {
  for (std::size_t i = 0; i < form.clauses(); ++i) {
    bool all = true;
    for (const Literal l : form.clause(i)) all = all && ((assignment >> l.variable() & 1U) != 0) != l.negated();
    if (all) return true;
  }
  return false;
}

// log q(x) - log P(labels | x), averaged over all assignments x with their probabilities q(x).
double divergence(const std::vector<double>& p, const std::vector<NormalForm>& forms,
                  const std::vector<float>& labels) {
  double sum = 0.0;
  for (unsigned x = 0; x < 1U << kVariables; ++x) {
    double q = 1.0;
    for (std::size_t v = 0; v < kVariables; ++v) q *= (x >> v & 1U) != 0 ? p[v] : 1.0 - p[v];
    double log_p = 0.0;
    for (std::size_t i = 0; i < forms.size(); ++i) {
      log_p += std::log(holds(forms[i], x) == (labels[i] == 1.0F) ? 1.0 - kNoise : kNoise);
    }
    sum += q * (std::log(q) - log_p);
  }
  return sum;
}

// The scores of a network with exact modules.
std::vector<float> exact_scores(const ExpressionBatch& batch, const std::vector<double>& p) {
  std::vector<float> scores;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    double none = 1.0;
    for (std::uint32_t c = batch.expression_starts[i]; c < batch.expression_starts[i + 1]; ++c) {
      double all = 1.0;
      for (const Literal l : batch.clause(c)) all *= l.negated() ? 1.0 - p[l.variable()] : p[l.variable()];
      none *= 1.0 - all;
    }
    scores.push_back(static_cast<float>(std::log((1.0 - none) / none)));
  }
  return scores;
}

TEST(EquationLoss, VariationalIsTheDivergenceFromThePosterior) {
  EquationOptions options;
  options.loss = EquationLoss::kVariational;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    std::vector<double> p(kVariables);
    for (double& value : p) value = 0.05 + 0.9 * random.uniform();
    std::vector<NormalForm> forms;
    std::vector<float> labels;
    // Enough equations for every variable to occur.
    for (int i = 0; i < 30; ++i) {
      forms.push_back(random_form(random));
      labels.push_back(random.chance(0.5) ? 1.0F : 0.0F);
    }
    EquationBatchLoss loss(options, forms, kVariables);
    // Summed over the batches of an epoch, of random sizes.
    double sum = 0.0;
    for (std::uint32_t begin = 0; begin < forms.size();) {
      std::vector<std::uint32_t> rows;
      for (const auto end = begin + random.between(1, 12); begin < end && begin < forms.size();)
        rows.push_back(begin++);
      loss.gather(forms, labels, rows);
      std::vector<float> d_scores(loss.batch().size());
      sum += loss(exact_scores(loss.batch(), p), kNoise, d_scores);
    }
    EXPECT_NEAR(sum, divergence(p, forms, labels), 1e-4);
  }
}

TEST(EquationLoss, LikelihoodIsTheCrossEntropyOfTheEquations) {
  Random random(1);
  const std::vector<NormalForm> forms = {random_form(random), random_form(random)};
  const std::vector<float> labels = {1.0F, 0.0F};
  const std::vector<std::uint32_t> rows = {1, 0};
  EquationBatchLoss loss({}, forms, kVariables);
  loss.gather(forms, labels, rows);
  ASSERT_EQ(loss.batch().size(), 2U);
  std::vector<float> d_scores(2);
  EXPECT_NEAR(loss(std::vector{0.0F, 0.0F}, 0.0, d_scores), 2.0 * std::log(2.0), 1e-12);
  EXPECT_FLOAT_EQ(d_scores[0], 0.5F);
  EXPECT_FLOAT_EQ(d_scores[1], -0.5F);
}

// Labels may contradict each other even if the options say that there is no noise.
TEST(EquationLoss, IsBoundedWithoutLabelNoise) {
  Random random(2);
  const std::vector<NormalForm> forms = {random_form(random)};
  const std::vector<float> labels = {1.0F};
  const std::vector<std::uint32_t> rows = {0};
  EquationOptions options;
  options.loss = EquationLoss::kVariational;
  EquationBatchLoss loss(options, forms, kVariables);
  loss.gather(forms, labels, rows);
  const std::vector<float> scores(loss.batch().size(), -10.0F);
  std::vector<float> d_scores(scores.size());
  EXPECT_NEAR(loss(scores, 0.0, d_scores), -std::log(0.01), 0.01);  // the minimum noise is 0.01; entropies are near 0
}

}  // namespace
}  // namespace linn
