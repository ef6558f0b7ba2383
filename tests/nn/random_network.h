// Random networks and random batches for the tests of the engine, and one step of the engine on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/logic/normal_form.h"
#include "linn/nn/gradient_run.h"
#include "linn/nn/logic_network.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan_builder.h"

namespace linn {

struct RandomBatchOptions {
  std::size_t expressions = 6;  // at most
  std::size_t clauses = 4;
  std::size_t literals = 4;
  std::size_t variables = 6;
  double constants = 0.08;  // the share of expressions that are T or F
  double repeated = 0.15;   // the share of expressions, and of clauses, that are copies of earlier ones
};

// DNF and CNF, repeated variables, single literals, constants in all the ways they can be written.
inline std::vector<NormalForm> random_forms(Random& random, const RandomBatchOptions& options) {
  std::vector<NormalForm> forms;
  const std::size_t count = 1 + random.below(options.expressions);
  while (forms.size() < count) {
    if (!forms.empty() && random.chance(options.repeated)) {
      forms.push_back(forms[random.below(forms.size())]);
      continue;
    }
    NormalForm form;
    form.form = random.chance(0.5) ? Form::kDnf : Form::kCnf;
    if (random.chance(options.constants) && random.chance(0.5)) {
      forms.push_back(form);
      continue;
    }
    const bool constant = random.chance(options.constants);
    const std::size_t clauses = 1 + random.below(options.clauses);
    const std::size_t empty_clause = constant ? random.below(clauses) : clauses;
    for (std::size_t i = 0; i < clauses; ++i) {
      std::vector<Literal> clause;
      if (!forms.empty() && random.chance(options.repeated)) {
        const NormalForm& other = forms[random.below(forms.size())];
        if (other.clauses() > 0) {
          const auto copied = other.clause(random.below(other.clauses()));
          clause.assign(copied.begin(), copied.end());
        }
      }
      if (clause.empty() && i != empty_clause) {
        for (std::size_t n = 1 + random.below(options.literals); n > 0; --n) {
          clause.push_back(Literal::of(static_cast<VariableId>(random.below(options.variables)), random.chance(0.5)));
        }
      }
      form.add_clause(clause);
    }
    forms.push_back(form);
  }
  return forms;
}

// About 3,000 nodes: several blocks of rows in each lane of every pass.
inline constexpr RandomBatchOptions kLargeBatch = {.expressions = 1, .clauses = 9, .literals = 9, .variables = 150};
inline std::vector<NormalForm> large_forms(Random& random) {
  std::vector<NormalForm> forms;
  while (forms.size() < 150) forms.push_back(random_forms(random, kLargeBatch)[0]);
  forms.push_back(forms[3]);
  return forms;
}

// A chain of at most `length` literals, of which some prefixes are expressions.
inline void add_random_chain(Random& random, std::size_t length, std::size_t variables, ExpressionBatch& batch) {
  std::vector<Literal> literals;
  for (std::size_t n = 1 + random.below(length); n > 0; --n) {
    literals.push_back(Literal::of(static_cast<VariableId>(random.below(variables)), random.chance(0.4)));
  }
  std::vector<std::uint32_t> prefixes;
  for (std::uint32_t k = 0; k <= literals.size(); ++k) {
    if (random.chance(0.5)) prefixes.push_back(k);
  }
  if (prefixes.empty()) prefixes.push_back(1);
  batch.add_chain(literals, prefixes);
}

inline ExpressionBatch batch_of(std::span<const NormalForm> forms) {
  ExpressionBatch batch;
  for (const NormalForm& form : forms) batch.add(form);
  return batch;
}

inline ModuleOptions random_module(Random& random, std::size_t most_hidden) {
  ModuleOptions options;
  options.hidden = random.chance(0.2) ? 0 : 3 + random.below(most_hidden - 2);
  options.depth = 1 + random.below(3);
  options.output_bias = random.chance(0.5);
  options.activation = static_cast<Activation>(random.below(3));
  options.structure = random.chance(0.3) ? Structure::kResidual : Structure::kMlp;
  return options;
}

inline NetworkOptions random_network(Random& random) {
  NetworkOptions options;
  options.width = 4 + random.below(9);
  options.gate = random_module(random, 18);
  options.negation = random_module(random, 18);
  options.similarity = static_cast<SimilarityKind>(random.below(3));
  options.alpha = random.chance(0.5) ? 10.0F : 3.0F;
  return options;
}

inline RegularizerOptions random_regularizers(Random& random) {
  RegularizerOptions options;
  switch (random.below(4)) {
    case 0:
      break;  // no laws
    case 1:
      options.set_laws(0.1F);
      break;
    case 2:
      options.laws[random.below(kLaws)] = 0.5F;
      break;
    default:
      for (float& law : options.laws) law = random.chance(0.4) ? 0.0F : static_cast<float>(random.uniform());
  }
  options.count_occurrences = random.chance(0.5);
  options.length = random.chance(0.5) ? 0.0F : 0.3F;
  options.squared_length = random.chance(0.5);
  return options;
}

inline std::vector<float> random_table(Random& random, std::size_t rows, std::size_t width, float deviation = 1.0F) {
  std::vector<float> table(rows * width);
  for (float& value : table) value = deviation * static_cast<float>(random.normal());
  return table;
}

inline std::vector<float> random_gradients(Random& random, std::size_t size) { return random_table(random, size, 1); }

// Everything that a step computes.
struct EngineResult {
  std::vector<float> scores;
  RegularizerValues regularizers;
  std::vector<float> d_parameters;
  std::vector<float> d_variables;
};

struct EngineStep {
  const RegularizerOptions* regularizers = nullptr;
  float dropout = 0.0F;
  Random* random = nullptr;
};

inline EngineResult run_engine(GradientRun& run, const Plan& plan, std::span<const float> table,
                               std::span<const float> d_scores, const EngineStep& step) {
  const DropoutOptions dropout = {step.dropout, step.random};
  const auto scores = run.forward(plan, table.data(), {step.regularizers, dropout});
  EngineResult result;
  result.scores.assign(scores.begin(), scores.end());
  run.backward(d_scores, step.random);
  result.regularizers = run.regularizer_values();
  const auto d_parameters = run.parameter_gradients().values();
  result.d_parameters.assign(d_parameters.begin(), d_parameters.end());
  const auto d_variables = run.variable_gradients();
  result.d_variables.assign(d_variables.begin(), d_variables.end());
  return result;
}

}  // namespace linn
