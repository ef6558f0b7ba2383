// Checks that training learns at all: a few equations, and the laws.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "linn/nn/losses.h"
#include "linn/optim/optimizer.h"
#include "nn/random_network.h"

namespace linn {
namespace {

struct Equations {
  std::vector<NormalForm> forms;
  std::vector<float> labels;
};

// Random DNFs over variables of which every second one is true.
Equations random_equations(Random& random, std::size_t count, std::size_t variables) {
  Equations equations;
  while (equations.forms.size() < count) {
    NormalForm form;
    bool truth = false;
    for (std::size_t clauses = 1 + random.below(3); clauses > 0; --clauses) {
      std::vector<Literal> clause;
      bool holds = true;
      for (std::size_t literals = 1 + random.below(3); literals > 0; --literals) {
        const Literal literal = Literal::of(static_cast<VariableId>(random.below(variables)), random.chance(0.5));
        holds = holds && (literal.variable() % 2 == 0) != literal.negated();
        clause.push_back(literal);
      }
      form.add_clause(clause);
      truth = truth || holds;
    }
    equations.forms.push_back(form);
    equations.labels.push_back(truth ? 1.0F : 0.0F);
  }
  return equations;
}

struct Epoch {
  double task = 0.0;
  double laws = 0.0;
};

// All equations are one batch.
std::vector<Epoch> train(const Equations& equations, std::size_t variables, const NetworkOptions& options, float lambda,
                         const OptimizerOptions& optimizer_options, std::size_t epochs) {
  Random random(17);
  LogicNetwork network(options);
  network.initialize(random, 0.1F);
  EmbeddingTable table("variables", variables, options.width);
  table.initialize_normal(random, 0.1F);
  RegularizerOptions regularizers;
  regularizers.set_laws(lambda);
  ThreadPool pool(1);
  GradientRun run(network, pool);
  Optimizer optimizer(optimizer_options, network.parameters(), {&table});
  std::vector<std::uint32_t> rows(variables);
  std::iota(rows.begin(), rows.end(), 0U);
  const ExpressionBatch batch = batch_of(equations.forms);
  PlanBuilder builder;
  Plan plan;
  std::vector<Epoch> history;
  for (std::size_t epoch = 0; epoch < epochs; ++epoch) {
    builder.build(batch, &random, plan);
    optimizer.catch_up(pool, 0, rows);
    network.prepare();
    const auto scores = run.forward(plan, table.row(0), {.regularizers = &regularizers});
    std::vector<float> d_scores(scores.size());
    history.push_back({cross_entropy(scores, equations.labels, 0.0, d_scores)});
    run.backward(d_scores, &random);
    for (const double law : run.regularizer_values().laws) {
      history.back().laws += law / static_cast<double>(plan.size());
    }
    // The gradients of the plan's variables, in the order of the table.
    std::vector<float> gradient(table.values().size(), 0.0F);
    for (std::size_t i = 0; i < plan.variables.size(); ++i) {
      const auto row = run.variable_gradients().subspan(i * options.width, options.width);
      std::ranges::copy(row, gradient.begin() + static_cast<std::ptrdiff_t>(plan.variables[i] * options.width));
    }
    const std::vector<SparseGradient> gradients = {{rows, gradient.data()}};
    optimizer.step(pool, run.parameter_gradients(), gradients);
  }
  return history;
}

TEST(Training, LearnsEquationsAndLaws) {
  Random random(3);
  const Equations equations = random_equations(random, 40, 12);
  OptimizerOptions adam;
  adam.learning_rate = 0.005;
  for (const NetworkOptions& options : {NetworkOptions::paper(16), NetworkOptions::authors(16)}) {
    const auto history = train(equations, 12, options, 0.02F, adam, 1000);
    const double equal = 40 * std::log(2.0);  // the loss of saying one half
    EXPECT_LT(history.back().task, 0.2 * equal);
    EXPECT_LT(history.back().laws, 0.6 * history.front().laws);
  }
}

TEST(Training, LearnsTheLawsAlone) {
  Random random(3);
  Equations equations = random_equations(random, 20, 8);
  equations.labels.assign(20, 0.5F);  // as good as no label, near a score of zero
  OptimizerOptions adam;
  adam.learning_rate = 0.005;
  const auto history = train(equations, 8, NetworkOptions::authors(16), 1.0F, adam, 300);
  EXPECT_LT(history.back().laws, 0.4 * history.front().laws);
}

TEST(Training, PlainDescentLowersTheLoss) {
  Random random(5);
  const Equations equations = random_equations(random, 30, 10);
  OptimizerOptions descent;
  descent.kind = OptimizerKind::kSgd;
  descent.learning_rate = 0.01;
  descent.clip_norm = 5.0;
  NetworkOptions options = NetworkOptions::paper(12);
  options.gate.structure = options.negation.structure = Structure::kResidual;
  const auto history = train(equations, 10, options, 0.01F, descent, 400);
  EXPECT_LT(history.back().task, 0.5 * history.front().task);
}

}  // namespace
}  // namespace linn
