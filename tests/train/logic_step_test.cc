#include "linn/train/logic_step.h"

#include <gtest/gtest.h>

#include <vector>

#include "linn/nn/forward_run.h"
#include "linn/nn/losses.h"
#include "support/allocation_count.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 200;

// Labels follow from a hidden assignment: the first half of the variables is true.
struct Equations {
  ExpressionBatch batch;
  std::vector<float> labels;
};

Equations some_equations(std::size_t count, Random& random) {
  Equations made;
  for (std::size_t e = 0; e < count; ++e) {
    bool any = false;
    const std::int64_t clauses = random.between(1, 3);
    for (std::int64_t c = 0; c < clauses; ++c) {
      std::vector<Literal> clause(static_cast<std::size_t>(random.between(1, 3)));
      bool all = true;
      for (Literal& l : clause) {
        l = Literal::of(static_cast<VariableId>(random.below(kVariables)), random.chance(0.5));
        all = all && (l.variable() < kVariables / 2) != l.negated();
      }
      any = any || all;
      made.batch.add_clause(clause);
    }
    made.batch.end_expression(Form::kDnf);
    made.labels.push_back(any ? 1.0F : 0.0F);
  }
  return made;
}

LogicStepOptions step_options() {
  LogicStepOptions options;
  options.regularizers.set_laws(0.1F);
  options.regularizers.length = 0.001F;
  options.dropout = 0.1F;
  return options;
}

TEST(LogicStep, AllocatesNothingAfterTheLargestBatch) {
  Random random(1);
  ThreadPool pool(2);
  LogicNetwork network(NetworkOptions::authors(16));
  network.initialize(random);
  EmbeddingTable variables("variables", kVariables, 16);
  variables.initialize_normal(random, 0.01F);
  Optimizer optimizer({}, network.parameters(), {&variables});
  LogicStep step(network, variables, optimizer, pool, step_options());

  const Equations large = some_equations(300, random);
  const Equations small = some_equations(64, random);
  const std::vector<float>* labels = nullptr;
  const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
    return cross_entropy(scores, *labels, 0.0, d_scores);
  };
  const auto run = [&](const Equations& equations) {
    labels = &equations.labels;
    step.run(equations.batch, loss, random);
  };
  // Random association makes levels of different sizes, so it takes some batches until the largest has occurred.
  for (int i = 0; i < 30; ++i) run(large);
  const std::size_t before = allocation_count();
  for (int i = 0; i < 10; ++i) run(small);
  EXPECT_EQ(allocation_count(), before);
}

TEST(LogicStep, LearnsAHiddenAssignment) {
  Random random(2);
  ThreadPool pool(2);
  LogicNetwork network(NetworkOptions::paper(16));
  network.initialize(random, 0.1F);
  EmbeddingTable variables("variables", kVariables, 16);
  variables.initialize_normal(random, 0.1F);
  OptimizerOptions optimizer_options;
  optimizer_options.learning_rate = 0.01;
  Optimizer optimizer(optimizer_options, network.parameters(), {&variables});
  LogicStepOptions options = step_options();
  options.dropout = 0.0F;
  LogicStep step(network, variables, optimizer, pool, options);

  const Equations train = some_equations(1500, random);
  const LogicStep::Loss loss = [&](std::span<const float> scores, std::span<float> d_scores) {
    return cross_entropy(scores, train.labels, 0.0, d_scores);
  };
  for (int epoch = 0; epoch < 100; ++epoch) step.run(train.batch, loss, random);

  optimizer.flush(pool);
  const Equations test = some_equations(500, random);
  Plan plan;
  PlanBuilder().build(test.batch, nullptr, plan);
  ForwardRun run(network, pool);
  const auto scores = run.forward(plan, variables.row(0));
  std::size_t right = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) right += (scores[i] >= 0.0F) == (test.labels[i] >= 0.5F) ? 1 : 0;
  EXPECT_GE(right, 450U);
}

}  // namespace
}  // namespace linn
