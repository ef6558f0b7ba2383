#include "linn/model/audit.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <deque>
#include <map>
#include <numeric>

#include "linn/logic/parse.h"
#include "linn/nn/forward_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

constexpr std::array<std::string_view, 3> kPlaces = {"a", "b", "c"};

// Evaluates expressions over rows: every node is a matrix with one row per case, or one vector for all cases.
class RowEvaluator {
 public:
  RowEvaluator(ModuleRows& modules, const ConstMatrixView& vectors,
               const std::vector<std::vector<std::uint32_t>>& cases)
      : modules_(modules), rows_(cases.empty() ? 0 : cases[0].size()) {
    for (std::size_t i = 0; i < cases.size(); ++i) {
      places_.push_back({vectors.data, vectors.stride, cases[i].data()});
      pool_.variable(kPlaces[i]);
    }
  }

  RowSource evaluate(const std::string& text) {
    const Expr root = parse_expression(pool_, text);
    Walk walk;
    for (const Expr e : walk.post_order(pool_, root)) {
      if (!known_.contains(e.index)) known_[e.index] = compute(e);
    }
    return known_[root.index];
  }

 private:
  RowSource compute(Expr e) {
    switch (pool_.op(e)) {
      case Op::kTrue:
        return modules_.true_row();
      case Op::kFalse:
        return modules_.false_row();
      case Op::kVariable:
        return places_[pool_.variable_of(e)];
      case Op::kNot: {
        Matrix& out = make();
        modules_.negate(rows_, known_[pool_.operands(e)[0].index], out.data());
        return {out.data(), modules_.width()};
      }
      default:
        return chain(e);
    }
  }

  // From the left, as everywhere at test time.
  RowSource chain(Expr e) {
    assert(pool_.op(e) == Op::kAnd || pool_.op(e) == Op::kOr);
    const Gate gate = pool_.op(e) == Op::kAnd ? Gate::kAnd : Gate::kOr;
    const auto operands = pool_.operands(e);
    RowSource result = known_[operands[0].index];
    for (const Expr operand : operands.subspan(1)) {
      Matrix& out = make();
      modules_.gate(gate, rows_, result, known_[operand.index], out.data());
      result = {out.data(), modules_.width()};
    }
    return result;
  }

  Matrix& make() { return made_.emplace_back(rows_, modules_.width()); }

  ModuleRows& modules_;
  std::size_t rows_;
  ExpressionPool pool_;
  std::vector<RowSource> places_;
  std::map<std::uint32_t, RowSource> known_;  // by node
  std::deque<Matrix> made_;                   // they stay where they are
};

}  // namespace

const std::vector<AuditLaw>& audit_laws() {
  static const std::vector<AuditLaw> laws = {
      {"negation", "!a", "a", true, true},
      {"double negation", "!!a", "a", false, true},
      {"AND identity", "a & T", "a", false, true},
      {"AND annihilator", "a & F", "F", false, true},
      {"AND idempotence", "a & a", "a", false, true},
      {"AND complement", "a & !a", "F", false, true},
      {"OR identity", "a | F", "a", false, true},
      {"OR annihilator", "a | T", "T", false, true},
      {"OR idempotence", "a | a", "a", false, true},
      {"OR complement", "a | !a", "T", false, true},
      {"AND commutativity", "a & b", "b & a"},
      {"OR commutativity", "a | b", "b | a"},
      {"AND associativity", "(a & b) & c", "a & (b & c)"},
      {"OR associativity", "(a | b) | c", "a | (b | c)"},
      {"AND over OR", "a & (b | c)", "(a & b) | (a & c)"},
      {"OR over AND", "a | (b & c)", "(a | b) & (a | c)"},
      {"De Morgan, AND", "!(a & b)", "!a | !b"},
      {"De Morgan, OR", "!(a | b)", "!a & !b"},
      {"AND absorption", "a & (a | b)", "a"},
      {"OR absorption", "a | (a & b)", "a"},
  };
  return laws;
}

std::size_t places_of(const AuditLaw& law) {
  ExpressionPool pool;
  for (const std::string_view place : kPlaces) pool.variable(place);
  std::size_t places = 0;
  Walk walk;
  for (const std::string& side : {law.left, law.right}) {
    for (const Expr e : walk.post_order(pool, parse_expression(pool, side))) {
      if (pool.op(e) == Op::kVariable) places = std::max<std::size_t>(places, pool.variable_of(e) + 1);
    }
  }
  return places;
}

std::vector<std::vector<std::uint32_t>> draw_audit_cases(std::size_t vectors, std::size_t places, std::size_t cases,
                                                         Random& random) {
  std::vector<std::vector<std::uint32_t>> drawn(places);
  if (vectors == 0) return drawn;
  if (places == 1) {
    std::vector<std::uint32_t>& all = drawn[0];
    all.resize(vectors);
    std::iota(all.begin(), all.end(), 0U);
    if (vectors > cases) {
      random.shuffle(std::span(all));
      all.resize(cases);
    }
    return drawn;
  }
  const bool distinct = vectors >= places;
  for (std::size_t i = 0; i < cases; ++i) {
    for (std::size_t place = 0; place < places; ++place) {
      std::uint32_t row = 0;
      do {
        row = static_cast<std::uint32_t>(random.below(vectors));
      } while (distinct && std::any_of(drawn.begin(), drawn.begin() + static_cast<std::ptrdiff_t>(place),
                                       [&](const auto& earlier) { return earlier[i] == row; }));
      drawn[place].push_back(row);
    }
  }
  return drawn;
}

AuditFigures audit_law(ModuleRows& modules, const AuditLaw& law, const ConstMatrixView& vectors,
                       const std::vector<std::vector<std::uint32_t>>& cases) {
  assert(cases.size() >= places_of(law) && vectors.cols == modules.width());
  AuditFigures figures;
  figures.cases = cases.empty() ? 0 : cases[0].size();
  if (figures.cases == 0) return figures;
  RowEvaluator evaluator(modules, vectors, cases);
  const RowSource left = evaluator.evaluate(law.left);
  const RowSource right = evaluator.evaluate(law.right);
  std::vector<float> alike(figures.cases), p_left(figures.cases), p_right(figures.cases);
  modules.similarity(figures.cases, left, right, alike.data());
  modules.similarity(figures.cases, left, modules.true_row(), p_left.data());
  modules.similarity(figures.cases, right, modules.true_row(), p_right.data());
  for (std::size_t i = 0; i < figures.cases; ++i) {
    figures.similarity += static_cast<double>(alike[i]);
    figures.agreement += ((p_left[i] >= 0.5F) == (p_right[i] >= 0.5F)) != law.differ ? 1.0 : 0.0;
    const float expected = law.differ ? 1.0F - p_right[i] : p_right[i];
    figures.difference += static_cast<double>(std::abs(p_left[i] - expected));
  }
  const auto n = static_cast<double>(figures.cases);
  figures.similarity /= n;
  figures.agreement /= n;
  figures.difference /= n;
  return figures;
}

std::vector<LawAudit> audit_modules(const LogicNetwork& network, const ConstMatrixView& variables,
                                    const ConstMatrixView& expressions, std::size_t cases, std::uint64_t seed,
                                    ThreadPool& threads) {
  ModuleRows modules(network, threads);
  std::vector<LawAudit> audits;
  for (std::size_t i = 0; i < audit_laws().size(); ++i) {
    const AuditLaw& law = audit_laws()[i];
    Random random(seed, i);
    const auto audit = [&](const ConstMatrixView& vectors) {
      return audit_law(modules, law, vectors, draw_audit_cases(vectors.rows, places_of(law), cases, random));
    };
    LawAudit& entry = audits.emplace_back();
    entry.law = &law;
    entry.variables = audit(variables);
    entry.expressions = audit(expressions);
  }
  return audits;
}

Matrix expression_vectors(const LogicModel& model, std::span<const NormalForm> expressions, ThreadPool& pool) {
  Matrix vectors(expressions.size(), model.network.width());
  PlanBuilder builder;
  ForwardRun run(model.network, pool);
  ExpressionBatch batch;
  Plan plan;
  constexpr std::size_t kBatch = 512;
  for (std::size_t begin = 0; begin < expressions.size(); begin += kBatch) {
    batch.clear();
    const std::size_t end = std::min(begin + kBatch, expressions.size());
    for (const NormalForm& e : expressions.subspan(begin, end - begin)) batch.add(e);
    builder.build(batch, nullptr, plan);
    run.forward(plan, model.variables.row(0));
    for (std::size_t i = begin; i < end; ++i) {
      std::ranges::copy(run.vector(plan.roots[i - begin]), vectors.row(i));
    }
  }
  return vectors;
}

}  // namespace linn
