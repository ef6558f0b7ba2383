// The twin must be right itself: its gradients against finite differences in double precision.
#include "support/naive_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "nn/random_network.h"

namespace linn {
namespace {

void expect_gradient(const NaiveInput& input, std::span<double> values, std::span<const double> gradient,
                     double scale) {
  constexpr double kStep = 1e-6;
  ASSERT_EQ(values.size(), gradient.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double old = values[i];
    values[i] = old + kStep;
    const double above = naive_network(input).loss;
    values[i] = old - kStep;
    const double below = naive_network(input).loss;
    values[i] = old;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 1e-6 * scale) << "number " << i;
  }
}

TEST(NaiveNetwork, GradientsMatchDifferences) {
  std::size_t checked = 0;
  for (std::uint64_t seed = 0; seed < 36; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    NetworkOptions options;
    options.width = 3 + seed % 2;
    options.gate = random_module(random, 5);
    options.negation = random_module(random, 5);
    options.similarity = static_cast<SimilarityKind>(seed % 3);
    options.alpha = 3.0F;
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    ThreadPool pool(1);
    GradientRun run(network, pool);
    const bool hides = random.chance(0.5);
    Plan plan;
    const RandomBatchOptions tiny = {.expressions = 2, .clauses = 2, .literals = 2, .variables = 3, .constants = 0.02};
    PlanBuilder({hides}).build(batch_of(random_forms(random, tiny)), &random, plan);
    RegularizerOptions regularizers = random_regularizers(random);
    const auto table = random_table(random, 3, options.width);
    const auto d_scores = random_gradients(random, plan.roots.size());
    // The engine only makes the random choices.
    run_engine(run, plan, table, d_scores, {&regularizers, seed % 4 == 0 ? 0.3F : 0.0F, &random});

    NaiveInput input = naive_input(network, run, table.data(), &regularizers, d_scores);
    input.negation_hides_variable = hides;
    const NaiveResult result = naive_network(input);
    if (result.nearest_kink < 1e-4) continue;  // a difference would step over it
    ++checked;
    double scale = 1e-3;
    for (const double g : result.d_parameters) scale = std::max(scale, std::abs(g));
    for (const ParameterInfo& info : input.names) {
      SCOPED_TRACE(info.name);
      expect_gradient(input, std::span(input.parameters).subspan(info.offset, info.size()),
                      std::span(result.d_parameters).subspan(info.offset, info.size()), scale);
    }
    expect_gradient(input, input.variables, result.d_variables, scale);
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GT(checked, 24U);
}

// AND of two numbers, by hand: h = relu(2a + 3b + 1), out = -h.
TEST(NaiveNetwork, IsTheFormulaOfThePaper) {
  NetworkOptions options;
  options.width = 1;
  options.similarity = SimilarityKind::kDot;
  LogicNetwork network(options);
  for (const ParameterInfo& info : network.parameters().list()) {
    float* value = network.parameters().values().data() + info.offset;
    if (info.name == "and.left") *value = 2.0F;
    if (info.name == "and.right") *value = 3.0F;
    if (info.name == "and.bias") *value = 1.0F;
    if (info.name == "and.out") *value = -1.0F;
    if (info.name == "not.in") *value = -1.0F;
    if (info.name == "not.out") *value = 5.0F;
  }
  network.true_vector()[0] = 10.0F;
  network.prepare();
  ThreadPool pool(1);
  GradientRun run(network, pool);
  ExpressionBatch batch;
  batch.add_clause(std::vector{Literal::of(0, false), Literal::of(1, true)});
  batch.end_expression(Form::kDnf);
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  const std::vector<float> table = {7.0F, -2.0F};
  // NOT(-2) = 5 relu(2) = 10; AND(7, 10) = -relu(14 + 30 + 1) = -45; score = -45 * 10.
  const std::vector<float> d_scores = {1.0F};
  const EngineResult engine = run_engine(run, plan, table, d_scores, {});
  EXPECT_EQ(engine.scores, std::vector<float>{-450.0F});
  const NaiveResult twin = naive_network(naive_input(network, run, table.data(), nullptr, d_scores));
  EXPECT_EQ(twin.scores, std::vector<double>{-450.0});
  // d/da = 10 * -1 * 2; d/db = 10 * -1 * 3 * 5 * -1. The variable that is negated comes first in a plan.
  EXPECT_EQ(twin.d_variables, (std::vector<double>{150.0, -20.0}));
}

}  // namespace
}  // namespace linn
