// The batched, shared, fused engine against the recursive twin: values and all gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>

#include "linn/kernels/dispatch.h"
#include "nn/random_network.h"
#include "support/naive_network.h"

namespace linn {
namespace {

// A relu closer to its kink than this may fall on the other side in float32: such a batch proves nothing.
constexpr double kNearKink = 2e-5;

// Relative to the largest of the compared numbers. About ten times the rounding error of the worst batch below.
constexpr double kTolerance = 2e-3;

double largest(std::span<const double> values) {
  double result = 0.0;
  for (const double value : values) result = std::max(result, std::abs(value));
  return result;
}

// Written so that NaN is wrong.
void expect_close(std::span<const double> expected, std::span<const float> got, double scale, const std::string& what) {
  ASSERT_EQ(expected.size(), got.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_TRUE(std::abs(expected[i] - static_cast<double>(got[i])) <= kTolerance * scale)
        << what << "[" << i << "] is " << got[i] << " and should be " << expected[i] << ", scale " << scale;
  }
}

void expect_equal(const NaiveInput& input, const NaiveResult& expected, const EngineResult& got) {
  expect_close(expected.scores, got.scores, std::max(1.0, largest(expected.scores)), "scores");
  for (std::size_t i = 0; i < kLaws; ++i) {
    const double law = expected.regularizers.laws[i];
    EXPECT_NEAR(got.regularizers.laws[i], law, 1e-4 * (0.1 + law)) << "law " << i + 1;
  }
  const double length = expected.regularizers.length;
  EXPECT_NEAR(got.regularizers.length, length, 1e-4 * length);

  // Terms of the common size may cancel within one matrix, whose own size is then no measure of their rounding.
  const double common = 1e-2 * std::max(largest(expected.d_parameters), largest(expected.d_variables));
  for (const ParameterInfo& info : input.names) {
    const auto part = std::span(expected.d_parameters).subspan(info.offset, info.size());
    expect_close(part, std::span(got.d_parameters).subspan(info.offset, info.size()), std::max(largest(part), common),
                 info.name);
  }
  expect_close(expected.d_variables, got.d_variables, std::max(largest(expected.d_variables), common), "variables");
}

class Twin : public testing::Test {
 protected:
  // Of all comparisons of a test, at most a tenth may fall too near a kink.
  void TearDown() override {
    RecordProperty("compared", static_cast<int>(compared_));
    RecordProperty("skipped", static_cast<int>(skipped_));
    EXPECT_LE(10 * skipped_, compared_ + skipped_) << skipped_ << " comparisons were too near a kink";
  }

  // One step of the engine, then of its twin with the same random choices. Counts the comparison, or skips it if it is
  // too near a kink.
  void compare_step(const LogicNetwork& network, GradientRun& run, const Plan& plan, bool negation_hides_variable,
                    std::span<const float> table, const EngineStep& step, Random& random) {
    const std::vector<float> d_scores = random_gradients(random, plan.roots.size());
    const EngineResult got = run_engine(run, plan, table, d_scores, step);
    NaiveInput input = naive_input(network, run, table.data(), step.regularizers, d_scores);
    input.negation_hides_variable = negation_hides_variable;
    if (step.regularizers != nullptr && step.regularizers->law_share < 1.0F) {
      input.law_scale = 1.0 / static_cast<double>(step.regularizers->law_share);
    }
    const NaiveResult expected = naive_network(input);
    if (expected.nearest_kink < kNearKink) {
      ++skipped_;
      return;
    }
    expect_equal(input, expected, got);
    ++compared_;
  }

  // Compares a few batches on one network, in memory that holds the previous batch.
  void compare_batches(const NetworkOptions& options, Random& random, std::size_t batches,
                       const RandomBatchOptions& batch_options = {}) {
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    GradientRun run(network, pool_);
    for (std::size_t i = 0; i < batches && !HasFailure(); ++i) {
      const PlanOptions plan_options{random.chance(0.5)};
      const ExpressionBatch batch = batch_of(random_forms(random, batch_options));
      Plan plan;
      PlanBuilder(plan_options).build(batch, random.chance(0.7) ? &random : nullptr, plan);
      RegularizerOptions regularizers = random_regularizers(random);
      if (random.chance(0.3)) regularizers.law_share = 0.5F;
      const auto table = random_table(random, batch_options.variables, options.width);
      EngineStep step;
      if (random.chance(0.9)) step.regularizers = &regularizers;
      if (random.chance(0.3)) step.dropout = 0.25F;
      if (step.dropout > 0.0F || regularizers.law_share < 1.0F || random.chance(0.8)) step.random = &random;
      SCOPED_TRACE("batch " + std::to_string(i) + "\n" + to_string(plan));
      compare_step(network, run, plan, plan_options.negation_hides_variable, table, step, random);
    }
  }

  ThreadPool pool_{1};
  std::size_t compared_ = 0;
  std::size_t skipped_ = 0;
};

TEST_F(Twin, AgreesOnRandomNetworksAndBatches) {
  for (std::uint64_t seed = 0; seed < 300 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    compare_batches(random_network(random), random, 5);
  }
}

TEST_F(Twin, AgreesForStructuresOfOneGate) {
  const auto structures = {Structure::kMlp, Structure::kResidual, Structure::kLeftResidual, Structure::kProduct,
                           Structure::kMlpProduct};
  std::uint64_t seed = 0;
  for (const Structure conjunction : structures) {
    for (const Structure disjunction : structures) {
      for (const SimilarityKind similarity : {SimilarityKind::kCosine, SimilarityKind::kDot}) {
        SCOPED_TRACE("combination " + std::to_string(seed));
        Random random(seed++, 8);
        NetworkOptions options = random_network(random);
        options.and_structure = conjunction;
        options.or_structure = disjunction;
        options.similarity = similarity;
        options.length_bound = random.chance(0.5) ? 1.5F : 0.0F;
        compare_batches(options, random, 3);
      }
    }
  }
}

// Chains, alone and beside expressions made of clauses.
TEST_F(Twin, AgreesOnChains) {
  for (std::uint64_t seed = 0; seed < 60 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, 9);
    NetworkOptions options = random_network(random);
    if (random.chance(0.7)) options.or_structure = Structure::kLeftResidual;
    options.length_bound = random.chance(0.5) ? 1.0F : 0.0F;
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    GradientRun run(network, pool_);
    const auto table = random_table(random, 6, options.width);
    for (std::size_t i = 0; i < 3 && !HasFailure(); ++i) {
      ExpressionBatch batch;
      if (random.chance(0.5)) batch = batch_of(random_forms(random, {.expressions = 3}));
      for (std::size_t chains = random.below(4) + 1; chains > 0; --chains) add_random_chain(random, 12, 6, batch);
      Plan plan;
      PlanBuilder().build(batch, random.chance(0.5) ? &random : nullptr, plan);
      RegularizerOptions regularizers = random_regularizers(random);
      if (random.chance(0.5)) regularizers.law_share = 0.5F;
      SCOPED_TRACE("batch " + std::to_string(i) + "\n" + to_string(plan));
      compare_step(network, run, plan, false, table, {&regularizers, random.chance(0.5) ? 0.25F : 0.0F, &random},
                   random);
    }
  }
}

TEST_F(Twin, AgreesOnManyTinyBatches) {
  const RandomBatchOptions tiny = {.expressions = 2, .clauses = 2, .literals = 2, .variables = 2, .constants = 0.2};
  for (std::uint64_t seed = 0; seed < 150 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, 1);
    compare_batches(random_network(random), random, 10, tiny);
  }
}

TEST_F(Twin, AgreesForEveryKindOfModule) {
  std::uint64_t seed = 0;
  for (const Structure structure : {Structure::kMlp, Structure::kResidual}) {
    for (const Activation activation : {Activation::kRelu, Activation::kLeakyRelu, Activation::kTanh}) {
      for (const std::size_t depth : {1, 2, 3}) {
        for (const bool output_bias : {false, true}) {
          for (const SimilarityKind similarity :
               {SimilarityKind::kCosine, SimilarityKind::kDot, SimilarityKind::kMlp}) {
            SCOPED_TRACE("combination " + std::to_string(seed));
            Random random(seed++, 2);
            NetworkOptions options;
            options.width = 5 + random.below(15);
            options.gate = {3 + random.below(20), depth, output_bias, activation, structure};
            options.negation = {3 + random.below(20), depth, output_bias, activation, structure};
            options.similarity = similarity;
            compare_batches(options, random, 3);
            ASSERT_FALSE(HasFailure());
          }
        }
      }
    }
  }
}

// Gates and NOT of different kinds, so that neither can run the other's code.
TEST_F(Twin, AgreesWhereGatesAndNegationDiffer) {
  for (const Structure structure : {Structure::kMlp, Structure::kResidual}) {
    const Structure other = structure == Structure::kMlp ? Structure::kResidual : Structure::kMlp;
    NetworkOptions options;
    options.width = 7;
    options.gate = {11, 2, true, Activation::kTanh, structure};
    options.negation = {4, 1, false, Activation::kLeakyRelu, other};
    Random random(3);
    compare_batches(options, random, 30);
  }
}

TEST_F(Twin, AgreesForEveryLawAlone) {
  for (std::size_t law = 0; law < kLaws; ++law) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE("law " + std::to_string(law + 1) + ", seed " + std::to_string(seed));
      Random random(seed, law);
      NetworkOptions options = NetworkOptions::authors(6);
      options.similarity = static_cast<SimilarityKind>(seed % 3);
      LogicNetwork network(options);
      network.initialize(random, 0.5F);
      GradientRun run(network, pool_);
      const bool hides = seed % 2 == 0;
      Plan plan;
      PlanBuilder({hides}).build(batch_of(random_forms(random, {.constants = 0.0})), &random, plan);
      RegularizerOptions regularizers;
      regularizers.laws[law] = 0.7F;
      regularizers.count_occurrences = seed % 4 < 2;
      const auto table = random_table(random, 6, 6);
      compare_step(network, run, plan, hides, table, {&regularizers, 0.0F, &random}, random);
      EXPECT_GT(run.regularizer_values().laws[law], 0.0);
    }
  }
}

// Many blocks, lanes and threads. With tanh there are no kinks.
TEST_F(Twin, AgreesOnLargeBatches) {
  for (const Structure structure : {Structure::kMlp, Structure::kResidual}) {
    Random random(5);
    NetworkOptions options;
    options.width = 8;
    options.gate = {9, 1, true, Activation::kTanh, structure};
    options.negation = {7, 1, true, Activation::kTanh, structure};
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    ThreadPool pool(3);
    GradientRun run(network, pool);
    Plan plan;
    PlanBuilder().build(batch_of(large_forms(random)), &random, plan);
    ASSERT_GT(plan.size(), 3000U);
    RegularizerOptions regularizers;
    regularizers.set_laws(0.05F);
    regularizers.length = 0.01F;
    regularizers.count_occurrences = structure == Structure::kMlp;
    const auto table = random_table(random, kLargeBatch.variables, 8);
    compare_step(network, run, plan, false, table, {&regularizers, 0.0F, &random}, random);
    // Nothing but the task: only what gates use is projected.
    compare_step(network, run, plan, false, table, {}, random);
    EXPECT_EQ(skipped_, 0U);
    // More than 16 orders of operands were drawn, not one for all.
    std::set<std::uint16_t> sides(run.gradient_memory().other_law_rows.sides.begin(),
                                  run.gradient_memory().other_law_rows.sides.end());
    EXPECT_GT(sides.size(), 16U);
  }
}

// The laws are applied to every vector of the batch, each once.
TEST_F(Twin, LawsMeetEveryVector) {
  for (const bool hides : {false, true}) {
    for (const bool occurrences : {false, true}) {
      Random random(8);
      LogicNetwork network(NetworkOptions::paper(6));
      network.initialize(random, 0.5F);
      GradientRun run(network, pool_);
      Plan plan;
      PlanBuilder({hides}).build(batch_of(random_forms(random, {.expressions = 30, .variables = 20})), &random, plan);
      RegularizerOptions regularizers;
      regularizers.set_laws(1.0F);
      regularizers.count_occurrences = occurrences;
      const auto table = random_table(random, 20, 6);
      run_engine(run, plan, table, random_gradients(random, plan.roots.size()), {&regularizers, 0.0F, &random});

      const auto counts = naive_occurrences(plan, hides);
      std::multiset<std::pair<std::uint32_t, float>> expected, got;
      for (std::uint32_t node = Plan::kFirstVariable; node < plan.size(); ++node) {
        const float weight = occurrences ? static_cast<float>(counts[node]) : 1.0F;
        if (counts[node] > 0) expected.emplace(node, weight);
      }
      for (const LawRows* rows : {&run.gradient_memory().negated_law_rows, &run.gradient_memory().other_law_rows}) {
        for (std::size_t i = 0; i < rows->nodes.size(); ++i) got.emplace(rows->nodes[i], rows->weights[i]);
      }
      EXPECT_EQ(got, expected);
    }
  }
}

// Working memory is never cleared as a whole: its old content must not matter.
TEST_F(Twin, NothingIsLeftFromTheBatchBefore) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, 4);
    const NetworkOptions options = random_network(random);
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    GradientRun run(network, pool_);
    Plan large;
    PlanBuilder().build(batch_of(random_forms(random, {.expressions = 60, .variables = 40})), &random, large);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    RegularizerOptions all;
    all.set_laws(1.0F);
    all.length = 1.0F;
    run_engine(run, large, std::vector<float>(40 * options.width, nan), std::vector<float>(large.roots.size(), nan),
               {&all, 0.5F, &random});

    Plan plan;
    PlanBuilder({true}).build(batch_of(random_forms(random, {})), &random, plan);
    const RegularizerOptions regularizers = random_regularizers(random);
    const auto table = random_table(random, 6, options.width);
    compare_step(network, run, plan, true, table, {&regularizers, 0.0F, &random}, random);
  }
}

// Fixed modules save work but change no bit of the rest.
TEST_F(Twin, FixedModulesGiveTheVariablesTheSameGradients) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed, 8);
    const NetworkOptions options = random_network(random);
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    Plan plan;
    PlanBuilder().build(batch_of(random_forms(random, {})), &random, plan);
    const RegularizerOptions regularizers = random_regularizers(random);
    const auto table = random_table(random, 6, options.width);
    const std::vector<float> d_scores(plan.roots.size(), 0.7F);
    std::vector<float> gradients[2];
    RegularizerValues values[2];
    GradientRun run(network, pool_);  // whose memory holds gradients of learning modules in the second pass
    for (const Modules modules : {Modules::kLearn, Modules::kFixed}) {
      const auto i = static_cast<std::size_t>(modules);
      Random orders(seed, 9);
      run.forward(plan, table.data(), {.regularizers = &regularizers});
      run.backward(d_scores, &orders, modules);
      gradients[i].assign(run.variable_gradients().begin(), run.variable_gradients().end());
      values[i] = run.regularizer_values();
      if (modules == Modules::kLearn) continue;
      for (const float gradient : run.parameter_gradients().values()) ASSERT_EQ(gradient, 0.0F);
    }
    EXPECT_EQ(gradients[0], gradients[1]);
    EXPECT_EQ(values[0].laws, values[1].laws);
    EXPECT_EQ(values[0].length, values[1].length);
  }
}

TEST_F(Twin, AgreesOnEveryInstructionSet) {
  for (const std::string& name : supported_instruction_sets()) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(restrict_instruction_set(name));
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      Random random(seed, 7);
      compare_batches(random_network(random), random, 3);
    }
  }
  restrict_instruction_set("");
}

// The cosine of a vector of zeros is undefined, and so is the slope of its length: neither may spoil other vectors.
TEST_F(Twin, VectorsOfZerosDoNoHarm) {
  for (const Structure structure : {Structure::kMlp, Structure::kResidual}) {
    Random random(3);
    NetworkOptions options = NetworkOptions::paper(6);
    options.gate.structure = options.negation.structure = structure;
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    GradientRun run(network, pool_);
    Plan plan;
    PlanBuilder().build(batch_of(random_forms(random, {.expressions = 12})), &random, plan);
    RegularizerOptions regularizers;
    regularizers.set_laws(0.1F);
    regularizers.length = 0.1F;
    regularizers.squared_length = false;
    const std::vector<float> table(6 * 6, 0.0F);
    const auto d_scores = random_gradients(random, plan.roots.size());
    const EngineResult got = run_engine(run, plan, table, d_scores, {&regularizers, 0.0F, &random});
    for (const auto* numbers : {&got.scores, &got.d_parameters, &got.d_variables}) {
      EXPECT_TRUE(std::ranges::all_of(*numbers, [](float x) { return std::isfinite(x); }));
    }
    EXPECT_TRUE(std::isfinite(got.regularizers.length));
  }
}

TEST_F(Twin, AnEmptyBatchIsNoError) {
  Random random(1);
  LogicNetwork network(NetworkOptions::paper(6));
  network.initialize(random, 0.5F);
  GradientRun run(network, pool_);
  Plan plan;
  PlanBuilder().build(ExpressionBatch(), &random, plan);
  RegularizerOptions regularizers;
  regularizers.set_laws(1.0F);
  compare_step(network, run, plan, false, {}, {&regularizers, 0.0F, &random}, random);
  EXPECT_EQ(compared_, 1U);
}

}  // namespace
}  // namespace linn
