#include "linn/equations/equation_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "linn/base/error.h"
#include "linn/base/options.h"
#include "linn/base/utf8.h"
#include "linn/logic/lexer.h"
#include "linn/logic/parse.h"
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

std::vector<float> require_finite(std::vector<float> truths) {
  if (std::ranges::all_of(truths, [](float truth) { return std::isfinite(truth); })) return truths;
  throw Failure("the model's answer is not a number: its weights are too large");
}

void EquationModel::use_device(TrainingDevice* device) {
  if (device != nullptr) throw InputError("this model is not there on a GPU: evaluate it on the CPU");
}

std::vector<float> EquationModel::variables(ThreadPool& threads) const {
  ExpressionPool pool;
  std::vector<Expr> expressions;
  for (const std::string& name : names().names()) expressions.push_back(pool.variable(name));
  return probabilities(pool, expressions, threads);
}

std::vector<float> NetworkEquationModel::probabilities(ExpressionPool& pool, std::span<const Expr> expressions,
                                                       ThreadPool& threads) const {
  return require_finite(probabilities(network_forms(form(), pool, expressions, names()), threads));
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
  constexpr std::size_t kShown = 100;
  throw InputError(fmt::format("the model does not know the variable {}{}", printable(quote_name(name), kShown),
                               near.empty() ? "" : fmt::format(", did you mean {}?", quote_name(near))));
}

Expr parse_question(ExpressionPool& pool, std::string_view text, const Vocabulary& names) {
  // A network has vectors for every literal: about a kilobyte each.
  constexpr std::size_t kMostVariables = 100'000;
  constexpr std::size_t kMostCharacters = std::size_t{1} << 22;
  if (text.size() > kMostCharacters) {
    throw InputError(fmt::format("the expression is longer than {} MiB", kMostCharacters >> 20));
  }
  const auto for_each_name = [&](const auto& use) {
    Lexer lexer(text);
    for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) {
      if (token.kind == TokenKind::kName || token.kind == TokenKind::kQuotedName) use(lexer, token);
    }
  };
  std::size_t count = 0;
  if (text.size() >= kMostVariables) for_each_name([&](const Lexer&, const Token&) { ++count; });
  if (count > kMostVariables) {
    throw InputError(
        fmt::format("the expression has {} variables; at most {} can be asked at once", count, kMostVariables));
  }
  const Expr expression = parse_expression(pool, text);
  for_each_name([&](const Lexer& lexer, const Token& token) {
    if (token.kind == TokenKind::kName && names.find(token.text)) return;
    // A quoted name may have doubled quotes.
    std::string name;
    for (std::size_t i = 0; i < token.text.size(); ++i) {
      name += token.text[i];
      if (token.text[i] == '"') ++i;
    }
    try {
      find_variable(names, name);
    } catch (const InputError& error) {
      lexer.fail(token.offset, error.message());
    }
  });
  return expression;
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
