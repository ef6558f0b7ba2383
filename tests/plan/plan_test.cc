#include "linn/plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "linn/logic/evaluate.h"
#include "linn/plan/plan_builder.h"
#include "nn/random_network.h"
#include "support/naive_network.h"

namespace linn {
namespace {

// Literal n is variable n - 1, a negative one its negation.
std::vector<Literal> clause(const std::vector<int>& numbers) {
  std::vector<Literal> result;
  for (const int n : numbers) result.push_back(Literal::of(static_cast<VariableId>(std::abs(n) - 1), n < 0));
  return result;
}

void add(ExpressionBatch& batch, const std::vector<std::vector<int>>& clauses, Form form = Form::kDnf) {
  for (const auto& numbers : clauses) batch.add_clause(clause(numbers));
  batch.end_expression(form);
}

Plan build(const ExpressionBatch& batch, Random* random = nullptr, PlanOptions options = {}) {
  Plan plan;
  PlanBuilder(options).build(batch, random, plan);
  return plan;
}

Gate gate_of(const Plan& plan, std::uint32_t node) {
  const auto level =
      std::ranges::find_if(plan.levels, [&](const Plan::Level& each) { return each.begin <= node && node < each.end; });
  EXPECT_NE(level, plan.levels.end());
  return level->gate;
}

bool truth(const Plan& plan, std::uint32_t node, std::span<const std::uint8_t> values) {
  if (node < Plan::kFirstVariable) return node == Plan::kTrue;
  if (node < plan.first_negation()) return values[plan.variables[node - Plan::kFirstVariable]] != 0;
  if (node < plan.first_gate()) return values[plan.variables[node - plan.first_negation()]] == 0;
  const bool left = truth(plan, plan.left[node - plan.first_gate()], values);
  const bool right = truth(plan, plan.right[node - plan.first_gate()], values);
  return gate_of(plan, node) == Gate::kAnd ? left && right : left || right;
}

// Everything that plan.h promises.
void expect_sound(const Plan& plan, const ExpressionBatch& batch, bool hides) {
  ASSERT_EQ(plan.left.size(), plan.right.size());
  ASSERT_EQ(plan.occurrences.size(), plan.size());
  ASSERT_EQ(plan.use_starts.size(), kSlots * plan.size() + 1);
  ASSERT_EQ(plan.roots.size(), batch.size());
  ASSERT_LE(plan.negated_only, plan.negated);
  ASSERT_LE(plan.negated, plan.variables.size());

  // Variables are distinct and ordered by how they occur.
  std::set<VariableId> bare, negated;
  for (const std::uint32_t root : plan.roots) ASSERT_LT(root, plan.size());
  for (const auto operands : {&plan.left, &plan.right, &plan.roots}) {
    for (const std::uint32_t node : *operands) {
      if (node < Plan::kFirstVariable || node >= plan.first_gate()) continue;
      const bool is_negation = node >= plan.first_negation();
      const VariableId v = plan.variables[node - (is_negation ? plan.first_negation() : Plan::kFirstVariable)];
      (is_negation ? negated : bare).insert(v);
    }
  }
  EXPECT_EQ(std::set(plan.variables.begin(), plan.variables.end()).size(), plan.variables.size());
  for (std::size_t i = 0; i < plan.variables.size(); ++i) {
    EXPECT_EQ(negated.contains(plan.variables[i]), i < plan.negated);
    EXPECT_EQ(bare.contains(plan.variables[i]), i >= plan.negated_only);
  }

  // Levels follow each other without a gap, ANDs before ORs, and gates come after their operands.
  std::uint32_t next = plan.first_gate();
  std::vector<std::uint32_t> depth(plan.size(), 0);
  std::set<std::tuple<Gate, std::uint32_t, std::uint32_t>> gates;
  for (const Plan::Level& level : plan.levels) {
    EXPECT_EQ(level.begin, next);
    EXPECT_LT(level.begin, level.end);
    next = level.end;
    for (std::uint32_t node = level.begin; node < level.end; ++node) {
      const std::uint32_t left = plan.left[node - plan.first_gate()];
      const std::uint32_t right = plan.right[node - plan.first_gate()];
      EXPECT_LT(left, level.begin);
      EXPECT_LT(right, level.begin);
      depth[node] = 1 + std::max(depth[left], depth[right]);
      EXPECT_EQ(depth[node], depth[level.begin]);
      EXPECT_TRUE(gates.emplace(level.gate, left, right).second) << "node " << node << " is there twice";
    }
  }
  EXPECT_EQ(next, plan.size());
  for (std::size_t i = 1; i < plan.levels.size(); ++i) {
    const auto rank = [&](const Plan::Level& level) { return std::pair(depth[level.begin], level.gate); };
    EXPECT_LT(rank(plan.levels[i - 1]), rank(plan.levels[i]));
  }

  // Every node occurs, except constants and hidden variables.
  EXPECT_EQ(plan.occurrences, naive_occurrences(plan, hides));
  for (std::uint32_t node = Plan::kFirstVariable; node < plan.size(); ++node) {
    const bool hidden = hides && node < Plan::kFirstVariable + plan.negated_only;
    EXPECT_EQ(plan.occurrences[node] == 0, hidden) << "node " << node;
  }

  // Users are operands the other way round.
  for (std::uint32_t node = 0; node < plan.size(); ++node) {
    for (const Gate gate : {Gate::kAnd, Gate::kOr}) {
      for (const bool right : {false, true}) {
        std::vector<std::uint32_t> users;
        for (std::uint32_t user = plan.first_gate(); user < plan.size(); ++user) {
          const auto& operands = right ? plan.right : plan.left;
          if (gate_of(plan, user) == gate && operands[user - plan.first_gate()] == node) users.push_back(user);
        }
        const auto got = plan.users_of(node, slot_of(gate, right));
        EXPECT_EQ(std::vector(got.begin(), got.end()), users);
      }
    }
  }
}

TEST(Plan, IsSoundAndSaysTheSame) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    RandomBatchOptions options;
    options.expressions = 1 + random.below(8);
    options.variables = 1 + random.below(10);
    const auto forms = random_forms(random, options);
    const ExpressionBatch batch = batch_of(forms);
    const bool hides = random.chance(0.5);
    const Plan plan = build(batch, random.chance(0.6) ? &random : nullptr, {hides});
    expect_sound(plan, batch, hides);
    std::vector<std::uint8_t> values(options.variables);
    for (int i = 0; i < 12; ++i) {
      for (auto& value : values) value = random.chance(0.5) ? 1 : 0;
      for (std::size_t e = 0; e < forms.size(); ++e) {
        ASSERT_EQ(truth(plan, plan.roots[e], values), evaluate(forms[e], values)) << to_string(plan);
      }
    }
    ASSERT_FALSE(HasFailure()) << to_string(plan);
  }
}

TEST(Plan, FixedOrderFoldsFromTheLeft) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Random random(seed);
    const auto forms = random_forms(random, {.constants = 0.0});
    const Plan plan = build(batch_of(forms));
    for (std::size_t e = 0; e < forms.size(); ++e) {
      const bool dnf = forms[e].form == Form::kDnf;
      std::string expected;
      for (std::size_t i = 0; i < forms[e].clauses(); ++i) {
        std::string inner;
        for (const Literal l : forms[e].clause(i)) {
          const auto place = std::ranges::find(plan.variables, l.variable()) - plan.variables.begin();
          const std::string literal = (l.negated() ? "!v" : "v") + std::to_string(place);
          inner = inner.empty() ? literal : "(" + inner + (dnf ? "&" : "|") + literal + ")";
        }
        expected = expected.empty() ? inner : "(" + expected + (dnf ? "|" : "&") + inner + ")";
      }
      EXPECT_EQ(to_string(*formula_of(plan, plan.roots[e])), expected);
    }
  }
}

TEST(Plan, Prints) {
  ExpressionBatch batch;
  add(batch, {{3, -1}, {3}});
  add(batch, {{}});
  add(batch, {{3, -1}});
  EXPECT_EQ(to_string(build(batch)),
            "0 = T\n"
            "1 = NOT 0\n"
            "2 = variable 0 (x2)\n"
            "3 = variable 2 (x3)\n"
            "4 = NOT 2 (x2)\n"
            "level 1:\n"
            "5 = AND 3 4 (x2)\n"
            "level 2:\n"
            "6 = OR 5 3 (x1)\n"
            "roots: 6 0 5\n");
  EXPECT_EQ(to_string(build(ExpressionBatch())), "0 = T\n1 = NOT 0\nroots:\n");
}

TEST(Plan, ConstantsAreTheConstantNodes) {
  ExpressionBatch batch;
  add(batch, {}, Form::kDnf);
  add(batch, {}, Form::kCnf);
  add(batch, {{}}, Form::kDnf);
  add(batch, {{}}, Form::kCnf);
  // An empty clause decides wherever it stands, and the other clauses are no part of the batch.
  add(batch, {{1, 2}, {}, {-3}}, Form::kDnf);
  add(batch, {{}, {1, 2}}, Form::kCnf);
  add(batch, {{1, 2}, {}}, Form::kCnf);
  const Plan plan = build(batch);
  EXPECT_EQ(plan.roots, (std::vector<std::uint32_t>{1, 0, 0, 1, 0, 1, 1}));
  EXPECT_EQ(plan.size(), 2U);
  EXPECT_EQ(plan.occurrences, (std::vector<std::uint32_t>{3, 4}));
}

TEST(Plan, TheSameSeedDrawsTheSamePlan) {
  Random random(3);
  const ExpressionBatch batch = batch_of(random_forms(random, {.expressions = 30, .literals = 6, .constants = 0.0}));
  Random first(9), second(9), third(10);
  const Plan plan = build(batch, &first);
  EXPECT_EQ(build(batch, &second), plan);
  EXPECT_NE(build(batch, &third), plan);
}

TEST(Plan, EveryAssociationIsDrawn) {
  ExpressionBatch batch;
  add(batch, {{1, 2, 3, 4}});
  std::set<std::string> trees;
  Random random(1);
  // 5 shapes times 24 orders.
  for (int i = 0; i < 5000; ++i) {
    const Plan plan = build(batch, &random);
    trees.insert(to_string(*formula_of(plan, plan.roots[0])));
  }
  EXPECT_EQ(trees.size(), 120U);
}

TEST(Plan, ExpressionsShareWhatIsEqual) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    // (h1 OR ... OR h5) AND t for two targets: the history is one chain, however it is associated.
    ExpressionBatch batch;
    add(batch, {{1, -2, 3, 4, -5}, {6}}, Form::kCnf);
    add(batch, {{1, -2, 3, 4, -5}, {7}}, Form::kCnf);
    add(batch, {{1, -2, 3, 4, -5}, {6}}, Form::kCnf);
    const Plan plan = build(batch, &random);
    const auto ors = std::ranges::count_if(plan.levels, [](const auto& level) { return level.gate == Gate::kOr; });
    const auto history = [&](std::uint32_t root) {
      const std::uint32_t left = plan.left[root - plan.first_gate()];
      return std::max(left, plan.right[root - plan.first_gate()]);
    };
    EXPECT_EQ(history(plan.roots[0]), history(plan.roots[1]));
    EXPECT_EQ(history(plan.roots[0]), history(plan.roots[2]));
    EXPECT_GT(ors, 0);
    EXPECT_EQ(plan.occurrences[history(plan.roots[0])], 3U);
    // Four gates of the history; two targets in at most two orders for three expressions.
    EXPECT_GE(plan.left.size(), 6U);
    EXPECT_LE(plan.left.size(), 7U);
  }
  // A clause of the other form has another gate.
  ExpressionBatch batch;
  add(batch, {{1, 2}}, Form::kDnf);
  add(batch, {{1, 2}}, Form::kCnf);
  const Plan plan = build(batch);
  EXPECT_EQ(plan.left.size(), 2U);
  EXPECT_NE(plan.roots[0], plan.roots[1]);
  // Two clauses joined by OR are one clause of two literals in the other form: the same node.
  batch.clear();
  add(batch, {{1}, {2}}, Form::kDnf);
  add(batch, {{1, 2}}, Form::kCnf);
  EXPECT_EQ(build(batch).left.size(), 1U);
}

TEST(PlanBuilder, UsedAgainIsAsGoodAsNew) {
  Random random(6);
  PlanBuilder builder;
  Plan reused;
  for (int i = 0; i < 200; ++i) {
    RandomBatchOptions options;
    options.expressions = random.chance(0.2) ? 60 : 3;
    options.variables = random.chance(0.2) ? 500 : 4;
    const ExpressionBatch batch = batch_of(random_forms(random, options));
    const bool drawn = random.chance(0.5);
    Random first(i), second(i);
    builder.build(batch, drawn ? &first : nullptr, reused);
    ASSERT_EQ(reused, build(batch, drawn ? &second : nullptr));
  }
}

}  // namespace
}  // namespace linn
