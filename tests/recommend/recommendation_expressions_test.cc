#include "linn/recommend/linn/recommendation_expressions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "linn/plan/plan_builder.h"
#include "support/allocation_count.h"
#include "support/expect_error.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 100;
const std::vector<Event> kWindow = {{1, true}, {2, false}, {3, true}};

// Expressions as text, "1&7 | !2&7".
std::string to_text(const ExpressionBatch& batch) {
  std::string out;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const bool dnf = batch.forms[i] == Form::kDnf;
    for (std::uint32_t j = batch.expression_starts[i]; j < batch.expression_starts[i + 1]; ++j) {
      if (j != batch.expression_starts[i]) out += dnf ? " | " : " & ";
      std::string clause;
      for (const Literal l : batch.clause(j)) {
        if (!clause.empty()) clause += dnf ? '&' : '|';
        if (l.negated()) clause += '!';
        clause += std::to_string(l.variable());
      }
      out += dnf ? clause : "(" + clause + ")";
    }
    out += '\n';
  }
  return out;
}

std::string expressions(const ExpressionShape& shape, std::optional<UserId> user, std::vector<ItemId> targets) {
  ExpressionBatch batch;
  RecommendationExpressions builder(shape, kItems);
  EXPECT_TRUE(builder.add(kWindow, user, targets, nullptr, batch));
  return to_text(batch);
}

std::string arguments(const ExpressionShape& shape, std::optional<UserId> user) {
  ExpressionBatch batch;
  RecommendationExpressions builder(shape, kItems);
  const std::size_t count = builder.add_arguments(kWindow, user, batch);
  EXPECT_EQ(count, batch.size());
  return to_text(batch);
}

TEST(RecommendationExpressions, FollowThePaper) {
  EXPECT_EQ(expressions({}, {}, {7, 8}), "1&7 | !2&7 | 3&7\n1&8 | !2&8 | 3&8\n");
  EXPECT_EQ(expressions({RecommendForm::kFactored}, {}, {7, 8}), "(1|!2|3) & (7)\n(1|!2|3) & (8)\n");
  EXPECT_EQ(expressions({RecommendForm::kDnf, 2}, {}, {7}), "1&7 | !2&7 | 3&7 | 1&!2&7 | 1&3&7 | !2&3&7\n");
}

TEST(RecommendationExpressions, AUserIsTheOldestArgument) {
  EXPECT_EQ(expressions({}, 5, {7}), "105&7 | 1&7 | !2&7 | 3&7\n");
  EXPECT_EQ(expressions({RecommendForm::kFactored}, 5, {7}), "(105|1|!2|3) & (7)\n");
  // Pairs are pairs of events.
  EXPECT_EQ(expressions({RecommendForm::kDnf, 2}, 5, {7}), "105&7 | 1&7 | !2&7 | 3&7 | 1&!2&7 | 1&3&7 | !2&3&7\n");
}

TEST(RecommendationExpressions, ArgumentsAreTheirPartsWithoutTheTarget) {
  EXPECT_EQ(arguments({}, {}), "1\n!2\n3\n");
  EXPECT_EQ(arguments({RecommendForm::kFactored}, 5), "(105|1|!2|3)\n");
  EXPECT_EQ(arguments({RecommendForm::kDnf, 2}, {}), "1\n!2\n3\n1&!2\n1&3\n!2&3\n");
}

TEST(RecommendationExpressions, NoArgumentsMakeNoExpression) {
  for (const RecommendForm form : {RecommendForm::kDnf, RecommendForm::kFactored}) {
    ExpressionBatch batch;
    RecommendationExpressions builder({form}, kItems);
    const std::vector<ItemId> targets = {7};
    EXPECT_FALSE(builder.add({}, {}, targets, nullptr, batch));
    EXPECT_EQ(builder.add_arguments({}, {}, batch), 0U);
    EXPECT_EQ(batch.size(), 0U);
    EXPECT_TRUE(builder.add({}, 5, targets, nullptr, batch));  // a user vector is an argument
  }
}

TEST(RecommendationExpressions, PairsAreBoundedAndAllGetDrawn) {
  std::vector<Event> window;
  for (ItemId item = 0; item < 12; ++item) window.push_back({item, true});
  const std::vector<ItemId> targets = {50, 51};
  RecommendationExpressions builder({RecommendForm::kDnf, 2}, kItems);
  Random random(3);
  std::set<std::pair<VariableId, VariableId>> met;
  for (int round = 0; round < 200; ++round) {
    ExpressionBatch batch;
    builder.add(window, {}, targets, &random, batch);
    ASSERT_EQ(batch.clause_starts.size() - 1, 2 * (window.size() + ExpressionShape::kMostPairs));
    std::set<std::pair<VariableId, VariableId>> own;
    for (std::size_t j = window.size(); j < window.size() + ExpressionShape::kMostPairs; ++j) {
      const auto clause = batch.clause(j);
      ASSERT_EQ(clause.size(), 3U);
      EXPECT_LT(clause[0].variable(), clause[1].variable());
      own.emplace(clause[0].variable(), clause[1].variable());
      // All targets have the same pairs.
      const auto other = batch.clause(j + window.size() + ExpressionShape::kMostPairs);
      EXPECT_EQ(clause[0], other[0]);
      EXPECT_EQ(clause[1], other[1]);
    }
    EXPECT_EQ(own.size(), ExpressionShape::kMostPairs);
    met.insert(own.begin(), own.end());
  }
  EXPECT_EQ(met.size(), 66U);

  // Without randomness they are spread over all pairs.
  ExpressionBatch batch;
  EXPECT_EQ(builder.add_arguments(window, {}, batch), window.size() + ExpressionShape::kMostPairs);
  std::set<VariableId> second;
  for (std::size_t j = window.size(); j < batch.size(); ++j) second.insert(batch.clause(j)[1].variable());
  EXPECT_GE(second.size(), 6U);
}

TEST(RecommendationExpressions, ShareTheHistoryInThePlan) {
  const std::vector<ItemId> targets = {7, 8};
  for (const bool random_order : {false, true}) {
    ExpressionBatch batch;
    RecommendationExpressions({RecommendForm::kFactored}, kItems).add(kWindow, {}, targets, nullptr, batch);
    Random random(1);
    Plan plan;
    PlanBuilder().build(batch, random_order ? &random : nullptr, plan);
    EXPECT_EQ(plan.left.size(), 2U + 2U);  // the chain of three, once, and an AND for each target
    // The occurrences of the history count for both targets.
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
      const bool is_target = plan.variables[i] >= 7;
      EXPECT_EQ(plan.occurrences[Plan::kFirstVariable + i], is_target ? 1U : 2U);
    }
  }
}

TEST(RecommendationExpressions, AllocateNothingOnceMemoryHasGrown) {
  const std::vector<ItemId> targets = {7, 8, 9};
  for (const ExpressionShape shape : {ExpressionShape{}, {RecommendForm::kFactored}, {RecommendForm::kDnf, 2}}) {
    RecommendationExpressions builder(shape, kItems);
    ExpressionBatch batch;
    Random random(1);
    const auto fill = [&] {
      batch.clear();
      for (int i = 0; i < 50; ++i) builder.add(kWindow, 3, targets, &random, batch);
    };
    fill();
    const std::size_t before = allocation_count();
    fill();
    EXPECT_EQ(allocation_count(), before);
  }
}

TEST(RecommendationExpressions, PairsRequireDnf) {
  expect_input_error([] { check(ExpressionShape{RecommendForm::kFactored, 2}); }, 0, 0, "order 2");
  check(ExpressionShape{RecommendForm::kDnf, 2});
}

}  // namespace
}  // namespace linn
