// The naive implementation of the batched engine: expressions as trees, evaluated recursively in double precision, with
// nothing shared between expressions, and gradients from a tape of small operations.
//
// It shares only the names and the layout of the parameters with the engine. Random draws of the engine are passed in:
// the plan has the trees, LawChoice the vectors and operand orders of the laws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "linn/nn/gradient_run.h"
#include "linn/nn/network_options.h"
#include "linn/nn/parameters.h"
#include "linn/plan/plan.h"

namespace linn {

// An expression as it is written; F is NOT(T).
struct Formula {
  enum class Kind : std::uint8_t { kTrue, kVariable, kNot, kAnd, kOr };
  Kind kind = Kind::kTrue;
  std::uint32_t variable = 0;  // its place in Plan::variables
  std::shared_ptr<const Formula> left, right;
};
using FormulaPtr = std::shared_ptr<const Formula>;

inline bool has_product(Structure structure) {
  return structure == Structure::kProduct || structure == Structure::kMlpProduct;
}

FormulaPtr make_true();
FormulaPtr make_not(FormulaPtr operand);
FormulaPtr make_gate(Gate gate, FormulaPtr left, FormulaPtr right);

// The tree below a node. Every call and every occurrence makes new nodes.
FormulaPtr formula_of(const Plan& plan, std::uint32_t node);

// The two sides of a law for w, and whether it states that they differ.
struct LawFormula {
  FormulaPtr left, right;
  bool differ = false;
};
LawFormula law_formula(Law law, const FormulaPtr& w, bool swapped);

// Equal for equal trees.
std::string to_string(const Formula& formula);

// The number of occurrences of each node in the expressions of the plan, counted by walking all trees.
std::vector<std::uint32_t> naive_occurrences(const Plan& plan, bool negation_hides_variable);

// A vector to which the laws are applied. If bit i of `sides` is set, law i swaps its operands.
struct LawChoice {
  std::uint32_t node = 0;
  std::uint16_t sides = 0;
};

struct NaiveInput {
  NetworkOptions options;
  std::span<const ParameterInfo> names;  // what lies where in `parameters`
  std::vector<double> parameters;
  std::vector<double> true_vector;
  std::vector<double> variables;  // a row for each of plan->variables
  std::vector<double> dropout;    // the factors of the same numbers; empty: none
  const Plan* plan = nullptr;
  RegularizerOptions regularizers;
  bool negation_hides_variable = false;
  std::vector<LawChoice> laws;
  double law_scale = 1.0;        // of sampled laws
  std::vector<double> d_scores;  // the task's loss is their sum, weighted so
};

struct NaiveResult {
  double loss = 0.0;
  std::vector<double> scores;
  RegularizerValues regularizers;
  std::vector<double> d_parameters;  // as the parameters
  std::vector<double> d_variables;   // as the variables
  double nearest_kink = 1.0;         // the least distance of any relu from its kink
};

NaiveResult naive_network(const NaiveInput& input);

// Sim of two formulas, whose variables are rows of input.variables.
double naive_similarity(const NaiveInput& input, const FormulaPtr& a, const FormulaPtr& b);

// The input that repeats the engine's last step.
NaiveInput naive_input(const LogicNetwork& network, const GradientRun& run, const float* table,
                       const RegularizerOptions* regularizers, std::span<const float> d_scores);

// The multiply-adds in matrix products of a forward pass, counted by listing all distinct products that the formulas of
// the batch and the laws need.
double naive_multiply_adds(const Plan& plan, const NetworkOptions& options, const RegularizerOptions* regularizers,
                           bool negation_hides_variable);

}  // namespace linn
