#include "app/evaluate/expression_trace.h"

#include <optional>
#include <utility>

#include "linn/equations/linn_equation_model.h"
#include "linn/equations/network_trace.h"

namespace linn::app {
namespace {

const char* word_of(TraceKind kind) {
  switch (kind) {
    case TraceKind::kTrue:
      return "true";
    case TraceKind::kFalse:
      return "false";
    case TraceKind::kVariable:
      return "variable";
    case TraceKind::kNot:
      return "not";
    case TraceKind::kAnd:
      return "and";
    case TraceKind::kOr:
      return "or";
  }
  return "";
}

TracedExpression to_json(const NetworkTrace& trace, const Vocabulary& names, const Assumptions& assumed) {
  TracedExpression result{trace.nodes[trace.root].truth, Json::array(), trace.root};
  for (std::size_t i = 0; i < trace.nodes.size(); ++i) {
    const TraceNode& node = trace.nodes[i];
    Json entry = {{"id", i}, {"kind", word_of(node.kind)}};
    if (node.kind == TraceKind::kVariable) {
      entry["name"] = names.name(node.variable);
      const auto found = assumed.find(names.name(node.variable));
      if (found != assumed.end()) entry["assumed"] = found->second;
    }
    if (!node.inputs.empty()) entry["inputs"] = node.inputs;
    entry["truth"] = node.truth;
    result.nodes.push_back(std::move(entry));
  }
  return result;
}

// Asks a model that knows no vectors about each part of a normal form.
class PartTrace {
 public:
  PartTrace(const EquationModel& model, ExpressionPool& pool, const Assumptions& assumed)
      : model_(model), pool_(pool), assumed_(assumed) {}

  NetworkTrace make(const NormalForm& form, ThreadPool& threads) {
    const bool dnf = form.form == Form::kDnf;
    std::vector<std::uint32_t> clauses;
    for (std::size_t c = 0; c < form.clauses(); ++c) {
      std::vector<std::uint32_t> literals;
      for (const Literal literal : form.clause(c)) literals.push_back(add_literal(literal));
      clauses.push_back(chain(dnf ? Op::kAnd : Op::kOr, literals));
    }
    trace_.root = chain(dnf ? Op::kOr : Op::kAnd, clauses);
    const std::vector<float> truths = model_.probabilities(pool_, parts_, threads);
    for (std::size_t i = 0; i < truths.size(); ++i) trace_.nodes[i].truth = truths[i];
    return std::move(trace_);
  }

 private:
  // Equal nodes are one.
  std::uint32_t add(TraceNode node, Expr part) {
    const auto key = std::pair(static_cast<int>(node.kind), std::pair(node.variable, node.inputs));
    const auto [found, is_new] = places_.emplace(key, static_cast<std::uint32_t>(parts_.size()));
    if (is_new) {
      trace_.nodes.push_back(std::move(node));
      parts_.push_back(part);
    }
    return found->second;
  }

  std::uint32_t add_literal(Literal literal) {
    const std::string& name = pool_.variables().name(literal.variable());
    const auto found = assumed_.find(name);
    const Expr variable = found == assumed_.end() ? pool_.variable(literal.variable()) : pool_.constant(found->second);
    const std::uint32_t plain = add({TraceKind::kVariable, literal.variable(), {}, 0.0F}, variable);
    return literal.negated() ? add({TraceKind::kNot, 0, {plain}, 0.0F}, pool_.negation(variable)) : plain;
  }

  // Joined from the left, as the networks do. Nothing to join is the neutral element.
  std::uint32_t chain(Op op, const std::vector<std::uint32_t>& nodes) {
    if (nodes.empty()) {
      const bool value = op == Op::kAnd;
      return add({value ? TraceKind::kTrue : TraceKind::kFalse, 0, {}, 0.0F}, pool_.constant(value));
    }
    std::uint32_t joined = nodes[0];
    for (std::size_t i = 1; i < nodes.size(); ++i) {
      const Expr part = op == Op::kAnd ? pool_.conjunction({parts_[joined], parts_[nodes[i]]})
                                       : pool_.disjunction({parts_[joined], parts_[nodes[i]]});
      joined = add({op == Op::kAnd ? TraceKind::kAnd : TraceKind::kOr, 0, {joined, nodes[i]}, 0.0F}, part);
    }
    return joined;
  }

  const EquationModel& model_;
  ExpressionPool& pool_;
  const Assumptions& assumed_;
  NetworkTrace trace_;
  std::vector<Expr> parts_;
  std::map<std::pair<int, std::pair<VariableId, std::vector<std::uint32_t>>>, std::uint32_t> places_;
};

NetworkTrace trace_linn(const LinnEquationModel& model, ExpressionPool& pool, Expr expression,
                        const Assumptions& assumed, ThreadPool& threads) {
  const std::vector<NormalForm> forms = network_forms(model.form(), pool, {&expression, 1}, model.names());
  std::vector<Assumption> numbered;
  for (const auto& [name, value] : assumed) numbered.push_back({find_variable(model.names(), name), value});
  return trace_networks(model.members(), forms[0], numbered, threads);
}

}  // namespace

TracedExpression trace(const EquationModel& model, ExpressionPool& pool, Expr expression, const Assumptions& assumed,
                       ThreadPool& threads) {
  if (const auto* linn = dynamic_cast<const LinnEquationModel*>(&model)) {
    return to_json(trace_linn(*linn, pool, expression, assumed, threads), model.names(), assumed);
  }
  Normalizer normalizer(pool);
  const auto* network = dynamic_cast<const NetworkEquationModel*>(&model);
  const NormalForm form = normalizer.network_form(expression, network != nullptr ? network->form() : Form::kDnf);
  TracedExpression traced = to_json(PartTrace(model, pool, assumed).make(form, threads), pool.variables(), assumed);
  // The whole as it was asked: a model may answer it otherwise than its normal form.
  if (assumed.empty()) {
    traced.probability = model.probabilities(pool, {&expression, 1}, threads)[0];
    traced.nodes[traced.root]["truth"] = traced.probability;
  }
  return traced;
}

float probability(const EquationModel& model, ExpressionPool& pool, Expr expression, const Assumptions& assumed,
                  ThreadPool& threads) {
  if (assumed.empty()) return model.probabilities(pool, {&expression, 1}, threads)[0];
  return trace(model, pool, expression, assumed, threads).probability;
}

}  // namespace linn::app
