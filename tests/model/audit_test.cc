#include "linn/model/audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "linn/logic/evaluate.h"
#include "linn/logic/parse.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"
#include "linn/train/pretrain.h"
#include "nn/random_network.h"
#include "support/naive_network.h"

namespace linn {
namespace {

// Every law of the table is one of logic.
TEST(AuditLaws, HoldInEveryAssignment) {
  std::size_t taught = 0;
  std::set<std::string> names;
  for (const AuditLaw& law : audit_laws()) {
    ExpressionPool pool;
    for (const char* name : {"a", "b", "c"}) pool.variable(name);
    const Expr left = parse_expression(pool, law.left);
    const Expr right = parse_expression(pool, law.right);
    Evaluator evaluator;
    for (std::uint8_t bits = 0; bits < 8; ++bits) {
      const std::vector<std::uint8_t> values = {std::uint8_t(bits & 1U), std::uint8_t((bits >> 1U) & 1U),
                                                std::uint8_t(bits >> 2U)};
      EXPECT_EQ(evaluator.evaluate(pool, left, values) == evaluator.evaluate(pool, right, values), !law.differ)
          << law.name;
    }
    EXPECT_NE(left, right) << law.name << " says nothing";
    taught += law.taught ? 1 : 0;
    names.insert(law.name);
  }
  EXPECT_EQ(taught, kLaws);
  EXPECT_EQ(names.size(), audit_laws().size());
}

FormulaPtr variable(std::uint32_t row) {
  return std::make_shared<Formula>(Formula{Formula::Kind::kVariable, row, nullptr, nullptr});
}

// One side of a law with vectors in the places, as a tree.
FormulaPtr formula(const ExpressionPool& pool, Expr e, const std::vector<std::uint32_t>& rows) {
  switch (pool.op(e)) {
    case Op::kTrue:
      return make_true();
    case Op::kFalse:
      return make_not(make_true());
    case Op::kVariable:
      return variable(rows[pool.variable_of(e)]);
    case Op::kNot:
      return make_not(formula(pool, pool.operands(e)[0], rows));
    default: {
      const Gate gate = pool.op(e) == Op::kAnd ? Gate::kAnd : Gate::kOr;
      FormulaPtr result = formula(pool, pool.operands(e)[0], rows);
      for (const Expr operand : pool.operands(e).subspan(1)) {
        result = make_gate(gate, result, formula(pool, operand, rows));
      }
      return result;
    }
  }
}

TEST(Audit, EveryLawAgreesWithTheNaiveTwin) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    LogicNetwork network(random_network(random));
    network.initialize(random, 0.4F);
    const std::size_t d = network.width();
    constexpr std::size_t kVectors = 7;
    const std::vector<float> table = random_table(random, kVectors, d);
    const ConstMatrixView vectors(table.data(), kVectors, d, d);

    Plan plan;  // for the twin: which variables there are
    for (VariableId v = 0; v < kVectors; ++v) plan.variables.push_back(v);
    NaiveInput input;
    input.options = network.options();
    input.names = network.parameters().list();
    input.parameters.assign(network.parameters().values().begin(), network.parameters().values().end());
    input.true_vector.assign(network.true_vector().begin(), network.true_vector().end());
    input.variables.assign(table.begin(), table.end());
    input.plan = &plan;

    ThreadPool pool(2);
    ModuleRows modules(network, pool);
    for (const AuditLaw& law : audit_laws()) {
      Random draws(seed, 7);
      const auto cases = draw_audit_cases(kVectors, places_of(law), 5, draws);
      const AuditFigures figures = audit_law(modules, law, vectors, cases);
      ASSERT_EQ(figures.cases, 5U);

      AuditFigures expected;
      ExpressionPool expressions;
      for (const char* name : {"a", "b", "c"}) expressions.variable(name);
      double unsure = 0.0;  // cases at the edge of a half, where float and double may differ
      for (std::size_t i = 0; i < 5; ++i) {
        std::vector<std::uint32_t> rows;
        for (const auto& place : cases) rows.push_back(place[i]);
        const FormulaPtr left = formula(expressions, parse_expression(expressions, law.left), rows);
        const FormulaPtr right = formula(expressions, parse_expression(expressions, law.right), rows);
        const double p = naive_similarity(input, left, make_true());
        const double q = naive_similarity(input, right, make_true());
        expected.similarity += naive_similarity(input, left, right) / 5;
        expected.agreement += ((p >= 0.5) == (q >= 0.5)) == !law.differ ? 0.2 : 0.0;
        expected.difference += std::abs(law.differ ? p + q - 1 : p - q) / 5;
        if (std::abs(p - 0.5) < 1e-3 || std::abs(q - 0.5) < 1e-3) unsure += 0.2;
      }
      EXPECT_NEAR(figures.similarity, expected.similarity, 2e-4) << law.name;
      EXPECT_NEAR(figures.agreement, expected.agreement, 1e-9 + unsure) << law.name;
      EXPECT_NEAR(figures.difference, expected.difference, 2e-4) << law.name;
    }
  }
}

TEST(Audit, CasesAreDistinctAndTheSameForASeed) {
  Random random(1), again(1);
  const auto cases = draw_audit_cases(5, 3, 200, random);
  EXPECT_EQ(cases, draw_audit_cases(5, 3, 200, again));
  std::set<std::uint32_t> met;
  for (std::size_t i = 0; i < 200; ++i) {
    EXPECT_EQ(std::set({cases[0][i], cases[1][i], cases[2][i]}).size(), 3U);
    met.insert(cases[2][i]);
  }
  EXPECT_EQ(met.size(), 5U);
  EXPECT_EQ(draw_audit_cases(4, 1, 1000, random), std::vector<std::vector<std::uint32_t>>({{0, 1, 2, 3}}));
  EXPECT_EQ(draw_audit_cases(50, 1, 7, random)[0].size(), 7U);
  EXPECT_EQ(draw_audit_cases(2, 3, 7, random)[2].size(), 7U);  // too few to be distinct
  EXPECT_TRUE(draw_audit_cases(0, 2, 7, random)[0].empty());
}

TEST(Audit, ManyRowsOnManyThreadsHaveTheSameBits) {
  Random random(3);
  LogicNetwork network(NetworkOptions::authors(12));
  network.initialize(random, 0.3F);
  const std::vector<float> table = random_table(random, 500, 12);
  const auto cases = draw_audit_cases(500, 3, 700, random);
  std::vector<double> results;
  for (const std::size_t threads : {1, 3}) {
    ThreadPool pool(threads);
    ModuleRows modules(network, pool);
    for (const AuditLaw& law : audit_laws()) {
      results.push_back(audit_law(modules, law, {table.data(), 500, 12, 12}, cases).similarity);
    }
  }
  const std::size_t half = results.size() / 2;
  for (std::size_t i = 0; i < half; ++i) EXPECT_EQ(results[i], results[half + i]);
}

// What is taught shows.
TEST(Audit, TrainingTheModulesRaisesTheTaughtLaws) {
  Context context(1, 2);
  Random random(2);
  LogicNetwork network(NetworkOptions::authors(16));
  network.initialize(random, 0.1F);
  const std::vector<float> table = random_table(random, 100, 16, 0.1F);
  const auto mean_similarity = [&] {
    ModuleRows modules(network, context.pool());
    double sum = 0.0;
    for (const AuditLaw& law : audit_laws()) {
      if (!law.taught || law.differ) continue;
      const auto cases = draw_audit_cases(100, places_of(law), 100, random);
      sum += audit_law(modules, law, {table.data(), 100, 16, 16}, cases).similarity / 9;
    }
    return sum;
  };
  const double before = mean_similarity();
  PretrainOptions options;
  options.steps = 400;
  options.variables = 64;
  options.expressions = 32;
  options.law_weight = 1.0F;
  pretrain_modules(network, context, options);
  EXPECT_GT(mean_similarity(), std::max(0.9, before + 0.1));
}

TEST(Audit, ExpressionVectorsAreThoseThatAreScored) {
  Random random(5);
  LogicModel model(NetworkOptions::paper(8), 200);
  model.network.initialize(random, 0.3F);
  model.variables.initialize_normal(random, 1.0F);
  std::vector<NormalForm> forms;
  while (forms.size() < 600) {
    for (const NormalForm& form : random_forms(random, {})) forms.push_back(form);
  }
  ThreadPool pool(2);
  const Matrix vectors = expression_vectors(model, forms, pool);
  std::vector<float> p(forms.size());
  ModuleRows modules(model.network, pool);
  modules.similarity(forms.size(), {vectors.data(), 8}, modules.true_row(), p.data());
  for (std::size_t i = 0; i < forms.size(); i += 37) {
    Plan plan;
    PlanBuilder().build(batch_of({&forms[i], 1}), nullptr, plan);
    ForwardRun run(model.network, pool);
    const float score = run.forward(plan, model.variables.row(0))[0];
    EXPECT_NEAR(p[i], 1.0F / (1.0F + std::exp(-score)), 1e-5);
  }
}

}  // namespace
}  // namespace linn
