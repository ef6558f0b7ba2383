// Expressions of the naive implementation as trees, and counts over them.
#include <functional>
#include <set>
#include <utility>

#include "support/naive_network.h"

namespace linn {

FormulaPtr make_true() { return std::make_shared<Formula>(); }

FormulaPtr make_not(FormulaPtr operand) {
  return std::make_shared<Formula>(Formula{Formula::Kind::kNot, 0, std::move(operand), nullptr});
}

FormulaPtr make_gate(Gate gate, FormulaPtr left, FormulaPtr right) {
  const auto kind = gate == Gate::kAnd ? Formula::Kind::kAnd : Formula::Kind::kOr;
  return std::make_shared<Formula>(Formula{kind, 0, std::move(left), std::move(right)});
}

FormulaPtr formula_of(const Plan& plan, std::uint32_t node) {
  if (node == Plan::kTrue) return make_true();
  if (node == Plan::kFalse) return make_not(make_true());
  if (node < plan.first_negation()) {
    return std::make_shared<Formula>(Formula{Formula::Kind::kVariable, node - Plan::kFirstVariable, nullptr, nullptr});
  }
  if (node < plan.first_gate()) {
    return make_not(formula_of(plan, node - plan.first_negation() + Plan::kFirstVariable));
  }
  for (const Plan::Level& level : plan.levels) {
    if (node < level.begin || node >= level.end) continue;
    const std::size_t gate = node - plan.first_gate();
    return make_gate(level.gate, formula_of(plan, plan.left[gate]), formula_of(plan, plan.right[gate]));
  }
  return nullptr;
}

LawFormula law_formula(Law law, const FormulaPtr& w, bool swapped) {
  const FormulaPtr t = make_true();
  const FormulaPtr f = make_not(make_true());
  const FormulaPtr not_w = make_not(w);
  const auto gate = [&](Gate kind, const FormulaPtr& other) {
    return swapped ? make_gate(kind, other, w) : make_gate(kind, w, other);
  };
  switch (law) {
    case kNegation:
      return {not_w, w, true};
    case kDoubleNegation:
      return {make_not(not_w), w};
    case kAndIdentity:
      return {gate(Gate::kAnd, t), w};
    case kAndAnnihilator:
      return {gate(Gate::kAnd, f), f};
    case kAndIdempotence:
      return {gate(Gate::kAnd, w), w};
    case kAndComplement:
      return {gate(Gate::kAnd, not_w), f};
    case kOrIdentity:
      return {gate(Gate::kOr, f), w};
    case kOrAnnihilator:
      return {gate(Gate::kOr, t), t};
    case kOrIdempotence:
      return {gate(Gate::kOr, w), w};
    case kOrComplement:
      return {gate(Gate::kOr, not_w), t};
  }
  return {};
}

std::string to_string(const Formula& formula) {
  switch (formula.kind) {
    case Formula::Kind::kTrue:
      return "T";
    case Formula::Kind::kVariable:
      return "v" + std::to_string(formula.variable);
    case Formula::Kind::kNot:
      return "!" + to_string(*formula.left);
    case Formula::Kind::kAnd:
      return "(" + to_string(*formula.left) + "&" + to_string(*formula.right) + ")";
    case Formula::Kind::kOr:
      return "(" + to_string(*formula.left) + "|" + to_string(*formula.right) + ")";
  }
  return {};
}

std::vector<std::uint32_t> naive_occurrences(const Plan& plan, bool negation_hides_variable) {
  std::vector<std::uint32_t> counts(plan.size(), 0);
  const std::function<void(std::uint32_t)> visit = [&](std::uint32_t node) {
    ++counts[node];
    if (node >= plan.first_gate()) {
      visit(plan.left[node - plan.first_gate()]);
      visit(plan.right[node - plan.first_gate()]);
    } else if (node >= plan.first_negation() && !negation_hides_variable) {
      visit(node - plan.first_negation() + Plan::kFirstVariable);
    }
  };
  for (const std::uint32_t root : plan.roots) visit(root);
  return counts;
}

namespace {

Gate gate_of(const Formula& f) { return f.kind == Formula::Kind::kAnd ? Gate::kAnd : Gate::kOr; }

// The matrix products that formulas need. A vector, and its product with a matrix, is recorded once.
class ProductList {
 public:
  explicit ProductList(const NetworkOptions& options) : options_(options) {}

  void add_vector(const Formula& f) {
    if (f.kind == Formula::Kind::kTrue || f.kind == Formula::Kind::kVariable) return;
    if (!known_.insert(to_string(f)).second) return;
    add_first_layer(f);
    add_rest(f);
  }

  // From the operands, which may be shared with others, to the hidden layer.
  void add_first_layer(const Formula& f) {
    if (f.kind == Formula::Kind::kNot) {
      add_projection(*f.left, "not", options_.negation_hidden());
      return;
    }
    const std::string name = f.kind == Formula::Kind::kAnd ? "and" : "or";
    add_projection(*f.left, name + ".left", options_.gate_hidden(gate_of(f)));
    add_projection(*f.right, name + ".right", options_.gate_hidden(gate_of(f)));
  }

  // From the hidden layer to the output.
  void add_rest(const Formula& f) {
    const bool is_not = f.kind == Formula::Kind::kNot;
    const std::size_t h = is_not ? options_.negation_hidden() : options_.gate_hidden(gate_of(f));
    if (!is_not && has_product(options_.structure(gate_of(f)))) {
      add(options_.width, options_.width);
      add(options_.width, options_.width);
    }
    for (std::size_t depth = is_not ? options_.negation.depth : options_.gate.depth; depth > 1; --depth) add(h, h);
    add(h, options_.width);
  }

  void add_similarity() {
    if (options_.similarity != SimilarityKind::kMlp) return;
    add(options_.width, options_.width);
    add(options_.width, options_.width);
    add(options_.width, 1);
  }

  double total() const { return total_; }

 private:
  void add(std::size_t inputs, std::size_t outputs) { total_ += static_cast<double>(inputs * outputs); }
  void add_projection(const Formula& operand, const std::string& matrix, std::size_t columns) {
    add_vector(operand);
    if (known_.insert(to_string(operand) + " by " + matrix).second) add(options_.width, columns);
  }

  NetworkOptions options_;
  std::set<std::string> known_;
  double total_ = 0.0;
};

}  // namespace

double naive_multiply_adds(const Plan& plan, const NetworkOptions& options, const RegularizerOptions* regularizers,
                           bool negation_hides_variable) {
  ProductList products(options);
  products.add_vector(*make_not(make_true()));
  for (const std::uint32_t root : plan.roots) {
    products.add_vector(*formula_of(plan, root));
    products.add_similarity();
  }
  if (regularizers == nullptr) return products.total();

  const auto occurrences = naive_occurrences(plan, negation_hides_variable);
  if (regularizers->laws[kNegation] != 0.0F) products.add_similarity();  // NOT(T) and T
  for (std::uint32_t node = Plan::kFirstVariable; node < plan.size(); ++node) {
    if ((regularizers->count_occurrences || negation_hides_variable) && occurrences[node] == 0) continue;
    const FormulaPtr w = formula_of(plan, node);
    for (std::size_t i = 0; i < kLaws; ++i) {
      if (regularizers->laws[i] == 0.0F) continue;
      const LawFormula law = law_formula(static_cast<Law>(i), w, false);
      products.add_vector(*law.right);
      products.add_similarity();
      if (law.left->kind == Formula::Kind::kNot) {
        products.add_vector(*law.left);
      } else {
        // The gate of a law is not shared with expressions, even if one of them contains w AND w.
        products.add_first_layer(*law.left);
        products.add_rest(*law.left);
      }
    }
  }
  return products.total();
}

}  // namespace linn
