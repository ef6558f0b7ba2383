#include "linn/equations/clause_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "linn/base/error.h"
#include "linn/logic/clause_set.h"

namespace linn {
namespace {

// An expression that is already in a normal form is taken as it is, whatever its size. Otherwise the smaller form is
// better, since a sweep visits every literal: both are tried with a low limit before either gets the full one.
NormalForm either_form(ExpressionPool& pool, Expr e, const NormalFormLimits& limits) {
  for (const Form form : {Form::kDnf, Form::kCnf}) {
    if (is_in_form(pool, e, form)) return clauses_as_written(pool, e, form);
  }
  const auto attempt = [&](Form form, std::size_t limit) { return Normalizer(pool, {limit}).network_form(e, form); };
  const std::size_t low = std::min<std::size_t>(4096, limits.max_literals);
  const std::pair<Form, std::size_t> attempts[] = {
      {Form::kDnf, low}, {Form::kCnf, low}, {Form::kDnf, limits.max_literals}};
  for (const auto& [form, limit] : attempts) {
    try {
      return attempt(form, limit);
    } catch (const InputError&) {
      // Over the limit: continue with the next attempt.
    }
  }
  return attempt(Form::kCnf, limits.max_literals);
}

class Builder {
 public:
  void add(const NormalForm& form, double label) {
    const bool negate = form.form == Form::kCnf;
    const auto equation = static_cast<std::uint32_t>(model_.equations());
    for (std::size_t i = 0; i < form.clauses(); ++i) {
      clause_.clear();
      for (const Literal l : form.clause(i)) clause_.push_back(negate ? (!l).code : l.code);
      // Drops repeated literals, and conjunctions that contradict themselves.
      if (!tidy_clause(clause_)) continue;
      const auto clause = static_cast<std::uint32_t>(model_.clauses());
      for (const std::uint32_t code : clause_) literals_.push_back({code, clause, equation});
      model_.clause_sizes.push_back(static_cast<std::uint32_t>(clause_.size()));
    }
    model_.clause_starts.push_back(static_cast<std::uint32_t>(model_.clauses()));

    const double q = negate ? 1.0 - label : label;
    const auto [entry, is_new] = index_of_label_.try_emplace(q, static_cast<std::uint32_t>(model_.labels.size()));
    if (is_new) model_.labels.push_back(q);
    model_.label_of.push_back(entry->second);
  }

  // A stable counting sort of the literals by variable, so that each variable's stay grouped by equation.
  ClauseModel finish(std::size_t variables) {
    model_.starts.assign(variables + 1, 0);
    for (const auto& l : literals_) ++model_.starts[l.code / 2 + 1];
    std::partial_sum(model_.starts.begin(), model_.starts.end(), model_.starts.begin());
    auto next = model_.starts;
    model_.occurrences.resize(literals_.size());
    for (const auto& l : literals_) {
      model_.occurrences[next[l.code / 2]++] = {l.clause * 2 + (l.code & 1U), l.equation * 2};
    }
    for (std::size_t v = 0; v < variables; ++v) {
      for (std::uint32_t i = model_.starts[v]; i < model_.starts[v + 1]; ++i) {
        Occurrence& o = model_.occurrences[i];
        if (i + 1 == model_.starts[v + 1] || model_.occurrences[i + 1].equation() != o.equation())
          o.equation_code |= 1U;
      }
    }
    return std::move(model_);
  }

 private:
  struct PlacedLiteral {
    std::uint32_t code, clause, equation;
  };

  ClauseModel model_;
  std::vector<PlacedLiteral> literals_;
  std::map<double, std::uint32_t> index_of_label_;
  std::vector<std::uint32_t> clause_;
};

}  // namespace

ClauseModel make_clause_model(ExpressionPool& pool, const EquationList& equations, const NormalFormLimits& limits) {
  Builder builder;
  for (std::size_t i = 0; i < equations.size(); ++i) {
    const float label = equations.labels[i];
    if (!(label >= 0.0F && label <= 1.0F)) {
      throw InputError(fmt::format("the label of equation {} is {}, expected a number from 0 to 1", i + 1, label));
    }
    if (label == 0.5F) continue;
    try {
      builder.add(either_form(pool, equations.expressions[i], limits), static_cast<double>(label));
    } catch (const InputError& error) {
      throw InputError(fmt::format("equation {}: {}", i + 1, error.message()));
    }
  }
  return builder.finish(pool.variables().size());
}

}  // namespace linn
