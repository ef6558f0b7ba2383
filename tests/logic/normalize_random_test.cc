// Normal forms of random expressions against their truth tables.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/random.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/normal_form.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "support/random_expression.h"

namespace linn {
namespace {

constexpr std::size_t kVariables = 8;

class Case {
 public:
  explicit Case(std::uint64_t seed, const RandomExpressionOptions& options = {kVariables, 14})
      : random_(pool, seed, options) {
    for (std::size_t v = 0; v < kVariables; ++v) pool.variables().intern(fmt::format("x{}", v));
    root = random_.make();
  }

  std::vector<bool> table(Expr e) const {
    Evaluator evaluator;
    return truth_table(kVariables, [&](auto values) { return evaluator.evaluate(pool, e, values); });
  }
  Random& random() { return random_.random(); }

  ExpressionPool pool;
  Expr root;

 private:
  RandomExpression random_;
};

bool is_simplified(const NormalForm& normal_form) {
  std::vector<std::vector<Literal>> clauses;
  for (std::size_t i = 0; i < normal_form.clauses(); ++i) {
    const auto clause = normal_form.clause(i);
    auto& sorted = clauses.emplace_back(clause.begin(), clause.end());
    std::ranges::sort(sorted);
    for (std::size_t j = 1; j < sorted.size(); ++j) {
      if (sorted[j - 1].variable() == sorted[j].variable()) return false;
    }
  }
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    if (i > 0 && clauses[i - 1].size() > clauses[i].size()) return false;
    for (std::size_t j = 0; j < clauses.size(); ++j) {
      if (i != j && std::ranges::includes(clauses[i], clauses[j])) return false;
    }
  }
  return true;
}

RC_GTEST_PROP(NegationNormalForm, IsEquivalentAndInForm, (std::uint64_t seed)) {
  Case c(seed);
  const Expr made = to_negation_normal_form(c.pool, c.root);
  RC_ASSERT(c.table(made) == c.table(c.root));
  Walk walk;
  for (const Expr e : walk.post_order(c.pool, made)) {
    const Op op = c.pool.op(e);
    if (op < Op::kVariable) RC_ASSERT(e == made);
    if (op == Op::kNot) RC_ASSERT(c.pool.op(c.pool.operands(e)[0]) == Op::kVariable);
    RC_ASSERT(op <= Op::kAnd || op == Op::kOr);
  }
  RC_ASSERT(to_negation_normal_form(c.pool, made) == made);
}

RC_GTEST_PROP(NormalForm, IsEquivalentSimplifiedAndFinal, (std::uint64_t seed)) {
  Case c(seed);
  const auto table = c.table(c.root);
  for (const Form form : {Form::kDnf, Form::kCnf}) {
    const NormalForm made = normalize(c.pool, c.root, form);
    RC_ASSERT(made.form == form);
    RC_ASSERT(truth_table(kVariables, [&](auto values) { return evaluate(made, values); }) == table);
    RC_ASSERT(is_simplified(made));

    const Expr again = parse_expression(c.pool, to_string(c.pool, made));
    RC_ASSERT(is_in_form(c.pool, again, form));
    RC_ASSERT(clauses_as_written(c.pool, again, form) == made);
    RC_ASSERT(normalize(c.pool, again, form) == made);
    RC_ASSERT(parse_expression(c.pool, to_string(c.pool, made, Notation::kUnicode)) == again);
  }
}

RC_GTEST_PROP(NormalForm, PrintsTheSameWhateverTheOrder, (std::uint64_t seed)) {
  RandomExpressionOptions options{kVariables, 14};
  if (seed % 2 == 0) options.names = RandomExpressionOptions::Names::kWeird;
  Case c(seed, options);
  for (const Form form : {Form::kDnf, Form::kCnf}) {
    const std::string text = to_string(c.pool, normalize(c.pool, c.root, form));

    ExpressionPool other;  // where variables occur in another order
    const Expr shuffled = shuffled_copy(c.pool, c.root, other, c.random());
    RC_ASSERT(to_string(other, normalize(other, shuffled, form)) == text);

    ExpressionPool fresh;
    RC_ASSERT(to_string(fresh, normalize(fresh, parse_expression(fresh, text), form)) == text);
  }
}

// Many clauses over few variables, so that both strategies for finding absorbed clauses are used.
RC_GTEST_PROP(NormalForm, SimplifiesManyClauses, (std::uint64_t seed)) {
  ExpressionPool pool;
  Random random(seed);
  std::vector<Expr> literals;
  const std::size_t variables = 6 + random.below(20);
  for (std::size_t v = 0; v < variables; ++v) {
    literals.push_back(pool.variable(fmt::format("x{}", v)));
    literals.push_back(pool.negation(literals.back()));
  }
  std::vector<Expr> clauses;
  const std::size_t most = 1 + random.below(24);
  for (std::size_t n = random.below(300); n > 0; --n) {
    std::vector<Expr> clause;
    for (std::size_t k = 1 + random.below(most); k > 0; --k) clause.push_back(literals[random.below(literals.size())]);
    clauses.push_back(pool.conjunction(clause));
  }
  const Expr root = pool.disjunction(clauses);
  const NormalForm made = normalize(pool, root, Form::kDnf);
  RC_ASSERT(is_simplified(made));
  // By sampling: there are too many variables for a truth table.
  std::vector<std::uint8_t> values(pool.variables().size());
  for (int i = 0; i < 50; ++i) {
    for (auto& value : values) value = random.chance(0.5) ? 1 : 0;
    RC_ASSERT(evaluate(made, values) == evaluate(pool, root, values));
  }
}

// Splits a name into characters and numbers; a number is its length and its digits without leading zeros.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  for (std::size_t i = 0; i < name.size();) {
    if (!is_digit(name[i])) {
      parts.emplace_back(1, name[i++]);
      continue;
    }
    std::string digits;
    while (i < name.size() && is_digit(name[i])) digits += name[i++];
    digits.erase(0, digits.find_first_not_of('0'));
    parts.push_back(fmt::format("0{:05}{}", digits.size(), digits));
  }
  return parts;
}

RC_GTEST_PROP(NormalForm, OrdersNamesWithNumbersInThem, (std::uint64_t seed)) {
  Random random(seed);
  std::vector<std::string> names;
  for (int n = 0; n < 20; ++n) {
    std::string name = random.chance(0.1) ? std::string(random.below(300), '7') : "";
    for (std::size_t k = 1 + random.below(12); k > 0; --k) name += "0019ab_ "[random.below(8)];
    names.push_back(name);
  }
  ExpressionPool pool;
  std::vector<Expr> literals;
  literals.reserve(names.size());
  for (const std::string& name : names) literals.push_back(pool.variable(name));
  const NormalForm made = normalize(pool, pool.conjunction(literals), Form::kDnf);

  std::ranges::sort(names, [](const std::string& a, const std::string& b) {
    const auto parts_a = parts_of(a), parts_b = parts_of(b);
    return parts_a != parts_b ? parts_a < parts_b : a < b;
  });
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<std::string> made_names;
  made_names.reserve(made.literals.size());
  for (const Literal l : made.literals) made_names.push_back(pool.variables().name(l.variable()));
  RC_ASSERT(made_names == names);
}

RC_GTEST_PROP(NormalForm, OneNormalizerServesMany, (std::uint64_t seed)) {
  Case c(seed);
  RandomExpression random(c.pool, seed + 1, {kVariables, 10});
  Normalizer normalizer(c.pool, {40});
  for (int i = 0; i < 10; ++i) {
    const Expr e = random.make();
    // Even after it has given up on some.
    try {
      const NormalForm made = normalizer.normalize(e, i % 2 == 0 ? Form::kDnf : Form::kCnf);
      RC_ASSERT(made == normalize(c.pool, e, made.form));
    } catch (const InputError&) {
    }
  }
}

}  // namespace
}  // namespace linn
