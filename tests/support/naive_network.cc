#include "support/naive_network.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

namespace linn {
namespace {

// Vectors of doubles, each computed from earlier ones by an operation with a known derivative.
class Tape {
 public:
  struct Var {
    std::size_t at = 0;
    std::size_t size = 0;
  };

  Var leaf(std::span<const double> values) {
    const Var y = make(values.size());
    std::ranges::copy(values, values_.begin() + static_cast<std::ptrdiff_t>(y.at));
    return y;
  }

  // y = x M, where M has one row per element of x.
  Var product(Var x, Var matrix) {
    const std::size_t columns = matrix.size / x.size;
    const Var y = make(columns);
    for (std::size_t i = 0; i < x.size; ++i) {
      for (std::size_t j = 0; j < columns; ++j) value(y, j) += value(x, i) * value(matrix, i * columns + j);
    }
    back_.push_back([=, this] {
      for (std::size_t i = 0; i < x.size; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          slope(x, i) += slope(y, j) * value(matrix, i * columns + j);
          slope(matrix, i * columns + j) += slope(y, j) * value(x, i);
        }
      }
    });
    return y;
  }

  // y = p a + q b
  Var blend(double p, Var a, double q, Var b) {
    const Var y = make(a.size);
    for (std::size_t i = 0; i < y.size; ++i) value(y, i) = p * value(a, i) + q * value(b, i);
    back_.push_back([=, this] {
      for (std::size_t i = 0; i < y.size; ++i) {
        slope(a, i) += p * slope(y, i);
        slope(b, i) += q * slope(y, i);
      }
    });
    return y;
  }
  Var sum(Var a, Var b) { return blend(1.0, a, 1.0, b); }

  // y_i = a_i b_i
  Var times(Var a, Var b) {
    const Var y = make(a.size);
    for (std::size_t i = 0; i < y.size; ++i) value(y, i) = value(a, i) * value(b, i);
    back_.push_back([=, this] {
      for (std::size_t i = 0; i < y.size; ++i) {
        slope(a, i) += value(b, i) * slope(y, i);
        slope(b, i) += value(a, i) * slope(y, i);
      }
    });
    return y;
  }

  Var dot(Var a, Var b) {
    const Var products = times(a, b);
    const Var y = make(1);
    for (std::size_t i = 0; i < products.size; ++i) value(y, 0) += value(products, i);
    back_.push_back([=, this] {
      for (std::size_t i = 0; i < products.size; ++i) slope(products, i) += slope(y, 0);
    });
    return y;
  }

  // y_i = f(x_i), where f also returns its derivative.
  template <class Function>
  Var map(Var x, Function f) {
    const Var y = make(x.size);
    for (std::size_t i = 0; i < x.size; ++i) value(y, i) = f(value(x, i)).first;
    back_.push_back([=, this] {
      for (std::size_t i = 0; i < x.size; ++i) slope(x, i) += f(value(x, i)).second * slope(y, i);
    });
    return y;
  }

  double number(Var x) const { return values_[x.at]; }
  std::vector<double> gradient(Var x) const {
    const auto first = slopes_.begin() + static_cast<std::ptrdiff_t>(x.at);
    return {first, first + static_cast<std::ptrdiff_t>(x.size)};
  }

  void backward(Var loss) {
    slopes_.assign(values_.size(), 0.0);
    slope(loss, 0) = 1.0;
    for (auto step = back_.rbegin(); step != back_.rend(); ++step) (*step)();
  }

 private:
  Var make(std::size_t size) {
    values_.resize(values_.size() + size, 0.0);
    return {values_.size() - size, size};
  }
  double& value(Var x, std::size_t i) { return values_[x.at + i]; }
  double& slope(Var x, std::size_t i) { return slopes_[x.at + i]; }

  std::vector<double> values_;
  std::vector<double> slopes_;
  std::vector<std::function<void()>> back_;
};
using Var = Tape::Var;

using Pair = std::pair<double, double>;
Pair sigmoid(double x) {
  const double y = 1.0 / (1.0 + std::exp(-x));
  return {y, y * (1.0 - y)};
}
Pair root(double x) { return {std::sqrt(x), x > 0.0 ? 0.5 / std::sqrt(x) : 0.0}; }
Pair inverse(double x) { return {1.0 / x, -1.0 / (x * x)}; }

class NaiveNetwork {
 public:
  explicit NaiveNetwork(const NaiveInput& input) : input_(input) {
    for (const ParameterInfo& info : input.names) {
      parameters_[info.name] = tape_.leaf(std::span(input.parameters).subspan(info.offset, info.size()));
    }
    true_ = tape_.leaf(input.true_vector);
    const std::size_t d = input.options.width;
    for (std::size_t i = 0; i < input.plan->variables.size(); ++i) {
      variables_.push_back(tape_.leaf(std::span(input.variables).subspan(i * d, d)));
      entering_.push_back(variables_.back());
      if (input.dropout.empty()) continue;
      entering_.back() = tape_.times(variables_.back(), tape_.leaf(std::span(input.dropout).subspan(i * d, d)));
    }
  }

  NaiveResult run() {
    Var loss = number(0.0);
    for (std::size_t i = 0; i < input_.plan->roots.size(); ++i) {
      const FormulaPtr tree = formula_of(*input_.plan, input_.plan->roots[i]);
      const Var p = score(vector(tree), true_);
      result_.scores.push_back(tape_.number(p));
      loss = tape_.blend(1.0, loss, input_.d_scores[i], p);
    }
    loss = add_regularizers(loss);
    result_.loss = tape_.number(loss);
    tape_.backward(loss);

    result_.d_parameters.assign(input_.parameters.size(), 0.0);
    for (const ParameterInfo& info : input_.names) {
      const auto start = result_.d_parameters.begin() + static_cast<std::ptrdiff_t>(info.offset);
      std::ranges::copy(tape_.gradient(parameters_[info.name]), start);
    }
    for (const Var variable : variables_) {
      const auto gradient = tape_.gradient(variable);
      result_.d_variables.insert(result_.d_variables.end(), gradient.begin(), gradient.end());
    }
    return std::move(result_);
  }

  double similarity(const FormulaPtr& a, const FormulaPtr& b) {
    const Var left = vector(a);
    return sigmoid(tape_.number(law_score(left, vector(b)))).first;
  }

 private:
  Var number(double x) { return tape_.leaf({&x, 1}); }

  Var activate(Activation kind, Var x) {
    if (kind == Activation::kTanh) {
      return tape_.map(x, [](double v) { return Pair(std::tanh(v), 1.0 - std::tanh(v) * std::tanh(v)); });
    }
    const double below = kind == Activation::kLeakyRelu ? 0.01 : 0.0;
    return tape_.map(x, [this, below](double v) {
      result_.nearest_kink = std::min(result_.nearest_kink, std::abs(v));
      return v > 0.0 ? Pair(v, 1.0) : Pair(below * v, below);
    });
  }

  // Everything after the sum of the first layer, the same for AND, OR and NOT.
  Var finish(const std::string& name, const ModuleOptions& options, Var hidden) {
    hidden = activate(options.activation, hidden);
    for (std::size_t i = 2; i <= options.depth; ++i) {
      const std::string layer = name + ".hidden" + std::to_string(i);
      const Var product = tape_.product(hidden, parameters_.at(layer));
      hidden = activate(options.activation, tape_.sum(product, parameters_.at(layer + "_bias")));
    }
    const Var out = tape_.product(hidden, parameters_.at(name + ".out"));
    return options.output_bias ? tape_.sum(out, parameters_.at(name + ".out_bias")) : out;
  }

  Var apply_gate(const std::string& name, Var a, Var b) {
    const Structure structure = input_.options.structure(name == "and" ? Gate::kAnd : Gate::kOr);
    const auto product = [&] {
      return tape_.times(tape_.product(a, parameters_.at(name + ".product_left")),
                         tape_.product(b, parameters_.at(name + ".product_right")));
    };
    if (structure == Structure::kProduct) return product();
    const Var both =
        tape_.sum(tape_.product(a, parameters_.at(name + ".left")), tape_.product(b, parameters_.at(name + ".right")));
    const Var out = finish(name, input_.options.gate, tape_.sum(both, parameters_.at(name + ".bias")));
    switch (structure) {
      case Structure::kResidual:
        return tape_.sum(out, tape_.blend(0.5, a, 0.5, b));
      case Structure::kLeftResidual:
        return bounded(tape_.sum(a, out));
      case Structure::kMlpProduct:
        return tape_.sum(out, product());
      default:
        return out;
    }
  }

  // x min(1, c / |x|)
  Var bounded(Var x) {
    const double given = static_cast<double>(input_.options.length_bound);
    const double bound = given > 0.0 ? given : std::sqrt(static_cast<double>(x.size));
    const Var norm = tape_.map(tape_.dot(x, x), root);
    result_.nearest_kink = std::min(result_.nearest_kink, std::abs(tape_.number(norm) - bound));
    const Var factor =
        tape_.map(norm, [bound](double n) { return n > bound ? Pair(bound / n, -bound / (n * n)) : Pair(1.0, 0.0); });
    return tape_.product(factor, x);
  }

  Var apply_not(Var a) {
    const ModuleOptions& options = input_.options.negation;
    const Var in = tape_.sum(tape_.product(a, parameters_.at("not.in")), parameters_.at("not.bias"));
    const Var out = finish("not", options, in);
    return options.structure == Structure::kResidual ? tape_.blend(1.0, out, -1.0, a) : out;
  }

  // An object is evaluated once; an equal tree elsewhere is evaluated again.
  Var vector(const FormulaPtr& f) {
    if (const auto known = vectors_.find(f); known != vectors_.end()) return known->second;
    Var y;
    switch (f->kind) {
      case Formula::Kind::kTrue:
        y = true_;
        break;
      case Formula::Kind::kVariable:
        y = entering_[f->variable];
        break;
      case Formula::Kind::kNot:
        y = apply_not(vector(f->left));
        break;
      case Formula::Kind::kAnd:
      case Formula::Kind::kOr: {
        const Var a = vector(f->left);
        y = apply_gate(f->kind == Formula::Kind::kAnd ? "and" : "or", a, vector(f->right));
        break;
      }
    }
    vectors_[f] = y;
    return y;
  }

  Var score(Var a, Var b) { return score(input_.options.similarity, a, b); }

  // Laws compare by cosine where the score is a dot product.
  Var law_score(Var a, Var b) {
    const SimilarityKind kind = input_.options.similarity;
    return score(kind == SimilarityKind::kDot ? SimilarityKind::kCosine : kind, a, b);
  }

  Var score(SimilarityKind kind, Var a, Var b) {
    switch (kind) {
      case SimilarityKind::kDot:
        return tape_.dot(a, b);
      case SimilarityKind::kMlp: {
        const Var both = tape_.sum(tape_.product(a, parameters_.at("similarity.left")),
                                   tape_.product(b, parameters_.at("similarity.right")));
        const Var hidden = activate(Activation::kRelu, tape_.sum(both, parameters_.at("similarity.bias")));
        return tape_.sum(tape_.dot(hidden, parameters_.at("similarity.out")), parameters_.at("similarity.out_bias"));
      }
      case SimilarityKind::kCosine:
        break;
    }
    // A vector of zeros has the cosine 0 to everything.
    const auto at_least = [](double x) { return x > 1e-16 ? Pair(x, 1.0) : Pair(1e-16, 0.0); };
    const Var norm_a = tape_.map(tape_.map(tape_.dot(a, a), at_least), root);
    const Var norm_b = tape_.map(tape_.map(tape_.dot(b, b), at_least), root);
    const Var cosine = tape_.times(tape_.dot(a, b), tape_.map(tape_.times(norm_a, norm_b), inverse));
    return tape_.times(cosine, number(static_cast<double>(input_.options.alpha)));
  }

  // loss + weight * Sim, or 1 - Sim if the two should be equal.
  Var add_law(Var loss, Law law, double weight, const FormulaPtr& w, bool swapped) {
    const double lambda = static_cast<double>(input_.regularizers.laws[law]);
    if (lambda == 0.0) return loss;
    const LawFormula sides = law_formula(law, w, swapped);
    const Var left = vector(sides.left);
    const Var sim = tape_.map(law_score(left, vector(sides.right)), sigmoid);
    const Var r = sides.differ ? sim : tape_.blend(1.0, number(1.0), -1.0, sim);
    result_.regularizers.laws[law] += weight * tape_.number(r);
    return tape_.blend(1.0, loss, lambda * weight, r);
  }

  Var add_regularizers(Var loss) {
    const RegularizerOptions& options = input_.regularizers;
    const auto occurrences = naive_occurrences(*input_.plan, input_.negation_hides_variable);
    const auto count = [&](std::uint32_t node) {
      if (options.count_occurrences) return double(occurrences[node]);
      return input_.negation_hides_variable && occurrences[node] == 0 ? 0.0 : 1.0;  // hidden by its negation
    };
    loss = add_law(loss, kNegation, 1.0, make_true(), false);
    for (const LawChoice& choice : input_.laws) {
      const FormulaPtr w = formula_of(*input_.plan, choice.node);
      for (std::size_t i = 0; i < kLaws; ++i) {
        const bool swapped = ((choice.sides >> i) & 1U) != 0;
        loss = add_law(loss, static_cast<Law>(i), count(choice.node) * input_.law_scale, w, swapped);
      }
    }
    if (options.length == 0.0F) return loss;
    for (std::uint32_t node = Plan::kFirstVariable; node < input_.plan->size(); ++node) {
      const Var w = vector(formula_of(*input_.plan, node));
      const Var square = tape_.dot(w, w);
      const Var length = options.squared_length ? square : tape_.map(square, root);
      result_.regularizers.length += count(node) * tape_.number(length);
      loss = tape_.blend(1.0, loss, static_cast<double>(options.length) * count(node), length);
    }
    return loss;
  }

  const NaiveInput& input_;
  NaiveResult result_;
  Tape tape_;
  std::map<std::string, Var> parameters_;
  Var true_;
  std::vector<Var> variables_;
  std::vector<Var> entering_;          // variables after dropout
  std::map<FormulaPtr, Var> vectors_;  // also keeps the formulas, so that no address is used twice
};

}  // namespace

NaiveResult naive_network(const NaiveInput& input) { return NaiveNetwork(input).run(); }

double naive_similarity(const NaiveInput& input, const FormulaPtr& a, const FormulaPtr& b) {
  return NaiveNetwork(input).similarity(a, b);
}

NaiveInput naive_input(const LogicNetwork& network, const GradientRun& run, const float* table,
                       const RegularizerOptions* regularizers, std::span<const float> d_scores) {
  const ForwardMemory& m = run.forward_memory();
  const GradientMemory& g = run.gradient_memory();
  const std::size_t d = network.width();
  NaiveInput input;
  input.options = network.options();
  input.names = network.parameters().list();
  input.parameters.assign(network.parameters().values().begin(), network.parameters().values().end());
  input.true_vector.assign(network.true_vector().begin(), network.true_vector().end());
  for (const VariableId v : m.plan->variables) {
    input.variables.insert(input.variables.end(), table + v * d, table + (v + 1) * d);
  }
  if (m.has_dropout) input.dropout.assign(m.dropout.span().begin(), m.dropout.span().end());
  input.plan = m.plan;
  if (regularizers != nullptr) {
    input.regularizers = *regularizers;
    if (regularizers->any_law()) {
      for (const LawRows* rows : {&g.negated_law_rows, &g.other_law_rows}) {
        for (std::size_t i = 0; i < rows->nodes.size(); ++i) input.laws.push_back({rows->nodes[i], rows->sides[i]});
      }
    }
  }
  input.d_scores.assign(d_scores.begin(), d_scores.end());
  return input;
}

}  // namespace linn
