#include "linn/nn/operation_count.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "nn/random_network.h"
#include "support/naive_network.h"

namespace linn {
namespace {

constexpr Literal kX{0}, kNotX{1}, kY{2}, kZ{4};

Plan plan_of(const std::vector<std::vector<Literal>>& clauses, Form form = Form::kDnf, bool hides = false) {
  ExpressionBatch batch;
  for (const auto& clause : clauses) batch.add_clause(clause);
  batch.end_expression(form);
  Plan plan;
  PlanBuilder({hides}).build(batch, nullptr, plan);
  return plan;
}

// d = 10, AND and OR 20 -> 6 -> 10, NOT 10 -> 7 -> 10. A projection for a gate takes 10*6 = 60 multiply-adds, a gate's
// output layer 6*10 = 60, and NOT 10*7 + 7*10 = 140.
NetworkOptions small_network() {
  NetworkOptions options;
  options.width = 10;
  options.gate.hidden = 6;
  options.negation.hidden = 7;
  return options;
}

TEST(OperationCount, OfTheNetworkAlone) {
  LogicNetwork network(small_network());
  // F: 140. x left and y right in AND: 2 * 60. The gate: 60.
  EXPECT_EQ(multiply_adds(plan_of({{kX, kY}}), network, nullptr), 140 + 120 + 60);
  // x AND y AND z: (x, y) and z are projected too, and one more gate.
  EXPECT_EQ(multiply_adds(plan_of({{kX, kY, kZ}}), network, nullptr), 140 + 240 + 120);
  // NOT(x) OR NOT(x) AND y: F and NOT(x) 2 * 140; NOT(x) left in AND and in OR, y, and the AND right in OR: 4 * 60; two
  // gates.
  EXPECT_EQ(multiply_adds(plan_of({{kNotX}, {kNotX, kY}}), network, nullptr), 280 + 240 + 120);
  // A single literal needs no gate, a constant nothing.
  EXPECT_EQ(multiply_adds(plan_of({{kX}}), network, nullptr), 140);
  EXPECT_EQ(multiply_adds(plan_of({}), network, nullptr), 140);
  // A multiply-add is two operations, and backward costs twice as much as forward.
  EXPECT_EQ(training_operations(plan_of({{kX}}), network, nullptr), 6 * 140);
}

TEST(OperationCount, OfTheLaws) {
  LogicNetwork network(small_network());
  RegularizerOptions laws;
  laws.set_laws(1.0F);
  // W = {x}. F: 140. NOT(x), NOT(NOT(x)): 280. x in all four slots, NOT(x) right in AND and OR, T and F right in AND
  // and OR: 10 * 60. Eight gates: 8 * 60.
  EXPECT_EQ(multiply_adds(plan_of({{kX}}), network, &laws), 140 + 280 + 600 + 480);
  // W = {x, NOT(x)}. NOT is applied to T, x, NOT(x) and NOT(NOT(x)): 4 * 140. x and NOT(x) in all slots, NOT(NOT(x)) in
  // two, T and F in two each: 14 * 60. Sixteen gates.
  EXPECT_EQ(multiply_adds(plan_of({{kNotX}}), network, &laws), 560 + 840 + 960);
  // Only NOT(x) counts: F, NOT(x), two more; it in all slots, NOT(NOT(x)), T and F in two each; eight gates.
  laws.count_occurrences = true;
  EXPECT_EQ(multiply_adds(plan_of({{kNotX}}, Form::kDnf, true), network, &laws), 560 + 600 + 480);
  // No vector, no law.
  EXPECT_EQ(multiply_adds(plan_of({}), network, &laws), 140);

  RegularizerOptions one;
  one.laws[kAndIdentity] = 1.0F;  // x left and T right in AND, one gate
  EXPECT_EQ(multiply_adds(plan_of({{kX}}), network, &one), 140 + 120 + 60);
  one.law_share = 0.5F;
  EXPECT_EQ(multiply_adds(plan_of({{kX}}), network, &one), 140 + 90);
}

TEST(OperationCount, OfDeepModulesAndALearnedSimilarity) {
  NetworkOptions options = small_network();
  options.gate.depth = 3;  // two more layers of 6*6
  options.negation.depth = 2;
  options.similarity = SimilarityKind::kMlp;  // 2 * 10*10 + 10
  LogicNetwork network(options);
  EXPECT_EQ(multiply_adds(plan_of({{kX, kY}}), network, nullptr), (140 + 49) + 120 + (60 + 72) + 210);
  RegularizerOptions first;
  first.laws[kNegation] = 1.0F;
  // Four vectors need NOT: T, x, y, and their AND; comparisons are those of the root and of all four.
  EXPECT_EQ(multiply_adds(plan_of({{kX, kY}}), network, &first), 4 * (140 + 49) + 120 + (60 + 72) + 5 * 210);
}

TEST(OperationCount, IsWhatFormulasAskFor) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    LogicNetwork network(random_network(random));
    const bool hides = random.chance(0.5);
    Plan plan;
    PlanBuilder({hides}).build(batch_of(random_forms(random, {})), random.chance(0.5) ? &random : nullptr, plan);
    const RegularizerOptions regularizers = random_regularizers(random);
    EXPECT_EQ(multiply_adds(plan, network, &regularizers),
              naive_multiply_adds(plan, network.options(), &regularizers, hides));
    EXPECT_EQ(multiply_adds(plan, network, nullptr), naive_multiply_adds(plan, network.options(), nullptr, hides));
  }
}

}  // namespace
}  // namespace linn
