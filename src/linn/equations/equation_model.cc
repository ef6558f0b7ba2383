#include "linn/equations/equation_model.h"

#include "linn/equations/variable_map.h"

namespace linn {

std::vector<float> EquationModel::variables(ThreadPool& threads) const {
  ExpressionPool pool;
  std::vector<Expr> expressions;
  for (VariableId id = 0; id < names().size(); ++id) expressions.push_back(pool.variable(names().name(id)));
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

}  // namespace linn
