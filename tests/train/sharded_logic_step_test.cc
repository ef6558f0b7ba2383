#include "linn/train/sharded_logic_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linn/nn/losses.h"
#include "linn/train/logic_step.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 30;
constexpr std::size_t kExpressions = 40;
constexpr std::size_t kWidth = 8;

// Expressions of which many have variables, negations and clauses in common.
std::vector<std::vector<std::vector<Literal>>> some_expressions() {
  Random random(4);
  std::vector<std::vector<Literal>> clauses;
  for (std::size_t i = 0; i < 12; ++i) {
    std::vector<Literal>& clause = clauses.emplace_back();
    const auto literals = static_cast<std::size_t>(random.between(1, 3));
    while (clause.size() < literals) {
      const auto variable = static_cast<VariableId>(random.below(kVariables));
      const bool is_new = std::ranges::none_of(clause, [&](Literal l) { return l.variable() == variable; });
      if (is_new) clause.push_back(Literal::of(variable, random.chance(0.5)));
    }
  }
  std::vector<std::vector<std::vector<Literal>>> expressions(kExpressions);
  for (auto& expression : expressions) {
    const auto count = static_cast<std::size_t>(random.between(1, 3));
    for (std::size_t i = 0; i < count; ++i) expression.push_back(clauses[random.below(clauses.size())]);
  }
  return expressions;
}

void add(const std::vector<std::vector<Literal>>& expression, ExpressionBatch& batch) {
  for (const std::vector<Literal>& clause : expression) batch.add_clause(clause);
  batch.end_expression(Form::kDnf);
}

struct Setting {
  std::string name;
  NetworkOptions network;
  RegularizerOptions regularizers;
  bool negation_hides_variable = false;
};

std::vector<Setting> settings() {
  std::vector<Setting> all;
  for (const bool authors : {false, true}) {
    for (const bool laws : {false, true}) {
      Setting setting;
      setting.name = std::string(authors ? "authors" : "paper") + (laws ? ", laws" : ", lengths");
      setting.network = authors ? NetworkOptions::authors(kWidth) : NetworkOptions::paper(kWidth);
      setting.regularizers.set_laws(laws ? 0.3F : 0.0F);
      setting.regularizers.length = 0.05F;
      setting.regularizers.count_occurrences = authors;
      setting.negation_hides_variable = authors;
      all.push_back(setting);
    }
  }
  Setting hidden = all[1];
  hidden.name = "paper, laws, hidden variables";
  hidden.negation_hides_variable = true;
  all.push_back(hidden);
  return all;
}

// Everything that a step reads. The two operands of gates have the same weights, so that their random order in the laws
// changes nothing but whether the gradient goes to the one or the other.
struct Trial {
  explicit Trial(const Setting& setting) : network(setting.network), variables("variables", kVariables, kWidth) {
    Random random(7);
    network.initialize(random, 0.4F);
    for (const char* gate : {"and", "or"}) {
      const MatrixView left = network.parameters().value(network.parameters().find(std::string(gate) + ".left"));
      const MatrixView right = network.parameters().value(network.parameters().find(std::string(gate) + ".right"));
      for (std::size_t row = 0; row < left.rows; ++row) std::copy_n(left.row(row), left.cols, right.row(row));
    }
    network.prepare();
    variables.initialize_normal(random, 0.5F);
    optimizer.emplace(OptimizerOptions{}, network.parameters(), std::vector<EmbeddingTable*>{&variables});
    options.regularizers = setting.regularizers;
    options.plan.negation_hides_variable = setting.negation_hides_variable;
    options.random_order = false;
    for (std::size_t i = 0; i < kExpressions; ++i) labels.push_back(i % 3 == 0 ? 0.0F : 1.0F);
  }

  // With the sums over both operands in the place of the first.
  std::vector<float> joined(std::span<const float> gradients) const {
    std::vector<float> sums(gradients.begin(), gradients.end());
    for (const char* gate : {"and", "or"}) {
      const ParameterSet& parameters = network.parameters();
      const ParameterInfo& left = parameters.list()[parameters.find(std::string(gate) + ".left")];
      const ParameterInfo& right = parameters.list()[parameters.find(std::string(gate) + ".right")];
      for (std::size_t i = 0; i < left.size(); ++i) {
        sums[left.offset + i] += std::exchange(sums[right.offset + i], 0.0F);
      }
    }
    return sums;
  }

  LogicNetwork network;
  EmbeddingTable variables;
  std::optional<Optimizer> optimizer;
  LogicStepOptions options;
  std::vector<float> labels;
};

void expect_near(std::span<const float> actual, std::span<const float> expected, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  float largest = 0.0F;
  for (const float value : expected) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < actual.size(); ++i) EXPECT_NEAR(actual[i], expected[i], 2e-5F * largest) << what;
}

// The slow twin of a step in shards is the step as a whole.
TEST(ShardedLogicStep, GradientsDoNotDependOnTheNumberOfShards) {
  const auto expressions = some_expressions();
  for (const Setting& setting : settings()) {
    Trial whole(setting);
    ThreadPool pool(2);
    LogicStep step(whole.network, whole.variables, *whole.optimizer, pool, whole.options);
    ExpressionBatch batch;
    for (const auto& expression : expressions) add(expression, batch);
    const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
      return cross_entropy(scores, whole.labels, 0.1, d_scores);
    };
    Random random(1);
    const StepReport expected = step.compute(batch, loss, random);

    for (const std::size_t count : {1, 2, 4, 64}) {  // 64: some have no expression
      const std::string what = setting.name + " in " + std::to_string(count);
      Trial trial(setting);
      LoneProcess alone;
      Shards shards(count, alone, pool);
      ShardedLogicStep sharded(trial.network, trial.variables, *trial.optimizer, shards, trial.options);
      const auto fill = [&](std::size_t shard, Random&, ExpressionBatch& part) {
        const RowRange range = shards.part(kExpressions, shard);
        for (std::size_t i = range.begin; i < range.end; ++i) add(expressions[i], part);
      };
      const auto part_loss = [&](std::size_t shard, std::span<const float> scores, std::span<float> d_scores) {
        return cross_entropy(scores, shards.part(std::span<const float>(trial.labels), shard), 0.1, d_scores);
      };
      ASSERT_TRUE(sharded.compute(fill, part_loss, random));
      const StepReport& report = sharded.report();
      EXPECT_NEAR(report.task_loss, expected.task_loss, 1e-5 * expected.task_loss) << what;
      EXPECT_NEAR(report.regularizers.length, expected.regularizers.length, 1e-5 * expected.regularizers.length)
          << what;
      for (std::size_t i = 0; i < kLaws; ++i) {
        EXPECT_NEAR(report.regularizers.laws[i], expected.regularizers.laws[i],
                    1e-5 * std::abs(expected.regularizers.laws[i]))
            << what;
      }
      expect_near(trial.joined(sharded.parameter_gradients().values()),
                  trial.joined(step.gradient().parameters().values()), what);
      const SparseGradient rows = sharded.variable_gradients();
      const SparseGradient expected_rows = step.gradient().variables();
      ASSERT_TRUE(std::ranges::equal(rows.rows, expected_rows.rows)) << what;
      expect_near({rows.values, rows.rows.size() * kWidth}, {expected_rows.values, rows.rows.size() * kWidth}, what);
    }
  }
}

TEST(ShardedLogicStep, WithoutExpressionsThereIsNoStep) {
  Trial trial(settings()[1]);
  LoneProcess alone;
  ThreadPool pool(1);
  Shards shards(4, alone, pool);
  ShardedLogicStep step(trial.network, trial.variables, *trial.optimizer, shards, trial.options);
  Random random(1);
  const auto none = [](std::size_t, Random&, ExpressionBatch&) {};
  const auto loss = [](std::size_t, std::span<const float>, std::span<float>) { return 1.0; };
  EXPECT_EQ(step.run(none, loss, random).task_loss, 0.0);
  EXPECT_EQ(trial.optimizer->steps(), 0U);
}

// The naive twin: nodes by the text of what they stand for.
TEST(SharedNodes, CountsThePlansThatHaveAVector) {
  const auto expressions = some_expressions();
  for (const bool hides : {false, true}) {
    std::vector<Plan> plans(5);
    PlanBuilder builder({.negation_hides_variable = hides});
    std::vector<Plan*> pointers;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      ExpressionBatch batch;
      for (std::size_t i = p * 8; i < (p + 1) * 8; ++i) add(expressions[i], batch);
      builder.build(batch, nullptr, plans[p]);
      pointers.push_back(&plans[p]);
    }
    SharedNodes shared;
    shared.count(pointers);
    shared.count(pointers);  // an earlier count leaves nothing behind

    std::vector<std::vector<std::string>> names(plans.size());
    std::map<std::string, std::uint32_t> holders;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      const Plan& plan = plans[p];
      names[p] = {"T", "F"};
      for (const VariableId v : plan.variables) names[p].push_back(std::to_string(v));
      for (std::uint32_t i = 0; i < plan.negated; ++i) names[p].push_back("-" + std::to_string(plan.variables[i]));
      for (const Plan::Level& level : plan.levels) {
        for (std::uint32_t node = level.begin; node < level.end; ++node) {
          const std::uint32_t gate = node - plan.first_gate();
          names[p].push_back((level.gate == Gate::kAnd ? "and(" : "or(") + names[p][plan.left[gate]] + "," +
                             names[p][plan.right[gate]] + ")");
        }
      }
      for (std::size_t node = 0; node < names[p].size(); ++node) {
        if (plan.occurrences[node] > 0) ++holders[names[p][node]];
      }
    }
    std::size_t shared_nodes = 0;
    for (std::size_t p = 0; p < plans.size(); ++p) {
      for (std::size_t node = Plan::kFirstVariable; node < names[p].size(); ++node) {
        if (plans[p].occurrences[node] == 0) continue;
        EXPECT_EQ(plans[p].holders[node], holders[names[p][node]]) << names[p][node];
        shared_nodes += plans[p].holders[node] > 1 ? 1 : 0;
      }
    }
    EXPECT_GT(shared_nodes, 20U);
  }
}

}  // namespace
}  // namespace linn
