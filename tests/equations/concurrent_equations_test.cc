// One loaded model answers many threads at once, each with its own expressions and thread pool.
#include <gtest/gtest.h>

#include <vector>

#include "linn/data/generate_equations.h"
#include "linn/equations/exact_model.h"
#include "linn/equations/linn_equation_model.h"
#include "linn/equations/sequence_equation_model.h"
#include "linn/model/audit.h"
#include "support/at_once.h"

namespace linn {
namespace {

constexpr std::size_t kThreads = 8;

EquationData some_equations() {
  EquationRecipe recipe;
  recipe.variables = 30;
  recipe.equations = 100;
  recipe.seed = 5;
  return generate_equations(recipe);
}

std::vector<float> answers(const EquationModel& model) {
  EquationData data = some_equations();
  ThreadPool threads(2);
  std::vector<float> all = model.probabilities(data.pool, data.train.expressions, threads);
  const std::vector<float> variables = model.variables(threads);
  all.insert(all.end(), variables.begin(), variables.end());
  return all;
}

void expect_same_answers(const EquationModel& model) {
  const std::vector<float> alone = answers(model);
  for (const auto& answer : at_once(kThreads, [&] { return answers(model); })) EXPECT_EQ(answer, alone);
}

LogicEnsemble some_models(std::size_t count) {
  LogicEnsemble ensemble;
  ensemble.names = some_equations().pool.variables();
  Random random(2);
  for (std::size_t i = 0; i < count; ++i) {
    LogicModel& model = ensemble.members.emplace_back(NetworkOptions::authors(12), ensemble.names.size());
    model.network.initialize(random, 0.3F);
    model.variables.initialize_normal(random, 0.3F);
  }
  return ensemble;
}

TEST(ConcurrentEquations, Linn) { expect_same_answers(LinnEquationModel(some_models(2), Form::kDnf)); }

TEST(ConcurrentEquations, SequenceModels) {
  for (const SequenceKind kind : {SequenceKind::kBiRnn, SequenceKind::kBiLstm, SequenceKind::kCnn}) {
    const Vocabulary names = some_equations().pool.variables();
    SequenceModel model({.kind = kind, .width = 8, .hidden = 6}, names.size());
    Random random(3);
    model.network.parameters().initialize_normal(random, 0.3F);
    model.tokens.initialize_normal(random, 0.3F);
    expect_same_answers(SequenceEquationModel(names, std::move(model)));
  }
}

TEST(ConcurrentEquations, ExactReasoner) {
  EquationData data = some_equations();
  GibbsOptions options;
  options.chains = 2;
  options.burn_in = 20;
  options.samples = 20;
  expect_same_answers(*fit_exact(data.pool, data.train, options));
}

TEST(ConcurrentEquations, Audit) {
  const LogicEnsemble ensemble = some_models(1);
  const LogicModel& model = ensemble.members[0];
  const auto audit = [&] {
    EquationData data = some_equations();
    ThreadPool threads(2);
    const auto forms = network_forms(Form::kDnf, data.pool, data.train.expressions, ensemble.names);
    const Matrix vectors = expression_vectors(model, forms, threads);
    ModuleRows modules(model.network, threads);
    std::vector<double> similarities;
    for (const AuditLaw& law : audit_laws()) {
      Random random(4);
      const auto cases = draw_audit_cases(vectors.rows(), places_of(law), 50, random);
      similarities.push_back(audit_law(modules, law, vectors.view(), cases).similarity);
    }
    return similarities;
  };
  const std::vector<double> alone = audit();
  for (const std::vector<double>& similarities : at_once(kThreads, audit)) EXPECT_EQ(similarities, alone);
}

}  // namespace
}  // namespace linn
