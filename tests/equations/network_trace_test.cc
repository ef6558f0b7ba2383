#include "linn/equations/network_trace.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <tuple>

#include "linn/equations/linn_equation_model.h"
#include "linn/nn/module_rows.h"
#include "nn/random_network.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 6;
constexpr std::size_t kWidth = 8;

LogicModel some_model(std::uint64_t seed) {
  NetworkOptions options;
  options.width = kWidth;
  LogicModel model(options, kVariables);
  Random random(seed);
  model.network.initialize(random, 0.3F);
  model.variables.initialize_normal(random, 1.0F);
  model.network.prepare();
  return model;
}

// The truth of every node, module by module: a slow twin.
std::vector<float> naive_truths(const LogicModel& model, const NetworkTrace& trace,
                                std::span<const Assumption> assumed) {
  ThreadPool threads(1);
  ModuleRows modules(model.network, threads);
  std::vector<std::vector<float>> vectors;
  std::vector<float> truths;
  for (const TraceNode& node : trace.nodes) {
    std::vector<float> vector(kWidth);
    const auto input = [&](std::size_t i) { return RowSource{vectors[node.inputs[i]].data(), 0}; };
    switch (node.kind) {
      case TraceKind::kTrue:
        std::copy_n(modules.true_row().data, kWidth, vector.begin());
        break;
      case TraceKind::kFalse:
        std::copy_n(modules.false_row().data, kWidth, vector.begin());
        break;
      case TraceKind::kVariable: {
        const float* from = model.variables.row(node.variable);
        for (const Assumption& assumption : assumed) {
          if (assumption.variable == node.variable) {
            from = (assumption.value ? modules.true_row() : modules.false_row()).data;
          }
        }
        std::copy_n(from, kWidth, vector.begin());
        break;
      }
      case TraceKind::kNot:
        modules.negate(1, input(0), vector.data());
        break;
      case TraceKind::kAnd:
        modules.gate(Gate::kAnd, 1, input(0), input(1), vector.data());
        break;
      case TraceKind::kOr:
        modules.gate(Gate::kOr, 1, input(0), input(1), vector.data());
        break;
    }
    float truth = 0.0F;
    std::vector<float> scratch(model.network.similarity().scratch(1));
    model.network.similarity().score(1, {vector.data(), 0}, modules.true_row(), &truth, scratch.data());
    truths.push_back(1.0F / (1.0F + std::exp(-truth)));
    vectors.push_back(std::move(vector));
  }
  return truths;
}

// The formula below a node, as it must be read from the normal form.
std::string formula(const NetworkTrace& trace, std::uint32_t place) {
  const TraceNode& node = trace.nodes[place];
  switch (node.kind) {
    case TraceKind::kTrue:
      return "T";
    case TraceKind::kFalse:
      return "F";
    case TraceKind::kVariable:
      return std::to_string(node.variable);
    case TraceKind::kNot:
      return "!" + formula(trace, node.inputs[0]);
    default:
      return "(" + formula(trace, node.inputs[0]) + (node.kind == TraceKind::kAnd ? "&" : "|") +
             formula(trace, node.inputs[1]) + ")";
  }
}

std::string folded(const std::vector<std::string>& parts, char gate, const std::string& nothing) {
  if (parts.empty()) return nothing;
  std::string joined = parts[0];
  for (std::size_t i = 1; i < parts.size(); ++i) joined = "(" + joined + gate + parts[i] + ")";
  return joined;
}

std::string expected_formula(const NormalForm& form) {
  const bool dnf = form.form == Form::kDnf;
  std::vector<std::string> clauses;
  for (std::size_t c = 0; c < form.clauses(); ++c) {
    std::vector<std::string> literals;
    for (const Literal literal : form.clause(c)) {
      literals.push_back((literal.negated() ? "!" : "") + std::to_string(literal.variable()));
    }
    clauses.push_back(folded(literals, dnf ? '&' : '|', dnf ? "T" : "F"));
  }
  return folded(clauses, dnf ? '|' : '&', dnf ? "F" : "T");
}

TEST(NetworkTrace, HasEveryNodeOnceAndTheTruthThatTheModulesGive) {
  const LogicModel first = some_model(1);
  const LogicModel second = some_model(2);
  const std::vector<const LogicModel*> ensemble = {&first, &second};
  ThreadPool threads(1);
  Random random(5);
  RandomBatchOptions options;
  options.variables = kVariables;
  std::size_t constants = 0;
  for (std::size_t round = 0; round < 200; ++round) {
    for (const NormalForm& form : random_forms(random, options)) {
      std::vector<Assumption> assumed;
      if (random.chance(0.5)) assumed = {{1, random.chance(0.5)}, {2, random.chance(0.5)}};
      const std::size_t members = 1 + random.below(2);
      const auto models = std::span(ensemble).first(members);
      const NetworkTrace trace = trace_networks(models, form, assumed, threads);

      // Constants inside an expression are how the plan writes them; the rest is the formula.
      const std::string shown = formula(trace, trace.root);
      const std::string expected = expected_formula(form);
      if (expected.find_first_of("TF") == std::string::npos) {
        EXPECT_EQ(shown, expected);
      } else {
        ++constants;
      }

      std::set<std::tuple<TraceKind, VariableId, std::vector<std::uint32_t>>> distinct;
      std::set<std::uint32_t> used = {trace.root};
      for (std::uint32_t i = 0; i < trace.nodes.size(); ++i) {
        const TraceNode& node = trace.nodes[i];
        distinct.emplace(node.kind, node.variable, node.inputs);
        for (const std::uint32_t input : node.inputs) {
          EXPECT_LT(input, i);
          used.insert(input);
        }
      }
      EXPECT_EQ(distinct.size(), trace.nodes.size());
      EXPECT_EQ(used.size(), trace.nodes.size());

      std::vector<float> mean(trace.nodes.size());
      for (const LogicModel* model : models) {
        const std::vector<float> truths = naive_truths(*model, trace, assumed);
        for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += truths[i] / static_cast<float>(members);
      }
      for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(trace.nodes[i].truth, mean[i], 1e-5F);

      if (assumed.empty()) {
        EXPECT_EQ(trace.nodes[trace.root].truth, mean_probabilities(models, {&form, 1}, threads)[0]);
      }
    }
  }
  EXPECT_GT(constants, 0U);
}

}  // namespace
}  // namespace linn
