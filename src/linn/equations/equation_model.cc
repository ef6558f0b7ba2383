#include "linn/equations/equation_model.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/logic/print.h"

namespace linn {
namespace {

// Maps the variables of a pool to those of a model, looking each up once. Both vocabularies must outlive it.
class VariableMap {
 public:
  VariableMap(const Vocabulary& from, const Vocabulary& to) : from_(from), to_(to), known_(from.size()) {}

  VariableId operator()(VariableId id) {
    if (!known_[id]) known_[id] = find_variable(to_, from_.name(id));
    return *known_[id];
  }

 private:
  const Vocabulary& from_;
  const Vocabulary& to_;
  std::vector<std::optional<VariableId>> known_;
};

}  // namespace

std::vector<float> EquationModel::variables(ThreadPool& threads) const {
  ExpressionPool pool;
  std::vector<Expr> expressions;
  for (const std::string& name : names().names()) expressions.push_back(pool.variable(name));
  return probabilities(pool, expressions, threads);
}

std::vector<float> NetworkEquationModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                                       ThreadPool& threads) const {
  return probabilities(network_forms(form(), pool, expressions, names()), threads);
}

std::vector<NormalForm> network_forms(Form form, ExpressionPool& pool, std::span<const Expr> expressions,
                                      const Vocabulary& names) {
  Normalizer normalizer(pool);
  VariableMap map(pool.variables(), names);
  std::vector<NormalForm> forms;
  forms.reserve(expressions.size());
  for (const Expr e : expressions) {
    NormalForm& clauses = forms.emplace_back(normalizer.network_form(e, form));
    for (Literal& l : clauses.literals) l = Literal::of(map(l.variable()), l.negated());
  }
  return forms;
}

VariableId find_variable(const Vocabulary& names, const std::string& name) {
  if (const auto id = names.find(name)) return *id;
  const std::string near = nearest_word(name, names.names());
  throw InputError(fmt::format("the model does not know the variable {}{}", quote_name(name),
                               near.empty() ? "" : fmt::format(", did you mean {}?", quote_name(near))));
}

std::vector<std::optional<VariableId>> known_variables(const ExpressionPool& pool, std::span<const Expr> expressions,
                                                       const Vocabulary& names) {
  VariableMap map(pool.variables(), names);
  Walk walk;
  std::vector<std::optional<VariableId>> needed(pool.variables().size());
  for (const Expr root : expressions) {
    for (const Expr e : walk.post_order(pool, root)) {
      if (pool.op(e) == Op::kVariable) needed[pool.variable_of(e)] = map(pool.variable_of(e));
    }
  }
  return needed;
}

NormalizedEquations::NormalizedEquations(EquationData& data, Form wanted)
    : names(data.pool.variables()), form(wanted), earlier(data.earlier) {
  const auto normalized = [&](const EquationList& equations) {
    return Part{network_forms(form, data.pool, equations.expressions, names), equations.labels};
  };
  train = normalized(data.train);
  validation = normalized(data.validation);
  test = normalized(data.test);
}

}  // namespace linn
