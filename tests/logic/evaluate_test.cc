#include "linn/logic/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <vector>

#include "linn/logic/parse.h"
#include "support/random_expression.h"

namespace linn {
namespace {

TEST(Evaluate, TruthTablesOfTheConnectives) {
  ExpressionPool pool;
  pool.variables().intern("a");
  pool.variables().intern("b");
  // Rows: neither, a only, b only, both.
  const auto table = [&](std::string_view text) {
    const Expr e = parse_expression(pool, text);
    return truth_table(2, [&](auto values) { return evaluate(pool, e, values); });
  };
  using Rows = std::vector<bool>;
  EXPECT_EQ(table("a & b"), (Rows{false, false, false, true}));
  EXPECT_EQ(table("a | b"), (Rows{false, true, true, true}));
  EXPECT_EQ(table("a xor b"), (Rows{false, true, true, false}));
  EXPECT_EQ(table("a -> b"), (Rows{true, false, true, true}));
  EXPECT_EQ(table("a <-> b"), (Rows{true, false, false, true}));
  EXPECT_EQ(table("!a"), (Rows{true, false, true, false}));
  EXPECT_EQ(table("T"), Rows(4, true));
  EXPECT_EQ(table("F"), Rows(4, false));
  EXPECT_EQ(table("a -> b -> a"), table("a -> (b -> a)"));
  EXPECT_EQ(table("a <-> b <-> F"), table("(a <-> b) <-> F"));
  EXPECT_EQ(table("a xor b xor T"), table("(a xor b) xor T"));
  EXPECT_NE(table("a -> b -> F"), table("(a -> b) -> F"));
}

RC_GTEST_PROP(Evaluate, AgreesWithRecursion, (std::uint64_t seed)) {
  ExpressionPool pool;
  RandomExpressionOptions options;
  options.leaves = 30;
  RandomExpression random(pool, seed, options);
  for (std::size_t v = 0; v < options.variables; ++v) pool.variables().intern(fmt::format("x{}", v));
  Evaluator evaluator;
  for (int i = 0; i < 4; ++i) {
    const Expr e = random.make();
    const auto fast = truth_table(options.variables, [&](auto v) { return evaluator.evaluate(pool, e, v); });
    RC_ASSERT(fast == truth_table(options.variables, [&](auto v) { return evaluate_naively(pool, e, v); }));
  }
}

TEST(Evaluate, NormalForms) {
  const Literal a = Literal::of(0, false), not_b = Literal::of(1, true);
  const std::array<std::uint8_t, 2> neither{0, 0}, b_only{0, 1}, both{1, 1};
  NormalForm dnf;
  EXPECT_FALSE(evaluate(dnf, both));
  dnf.add_clause(std::array{a, not_b});
  dnf.add_clause(std::array{!a, not_b});
  EXPECT_TRUE(evaluate(dnf, neither));
  EXPECT_FALSE(evaluate(dnf, b_only));
  dnf.add_clause({});
  EXPECT_TRUE(evaluate(dnf, b_only));

  NormalForm cnf;
  cnf.form = Form::kCnf;
  EXPECT_TRUE(evaluate(cnf, both));
  cnf.add_clause(std::array{a, not_b});
  EXPECT_TRUE(evaluate(cnf, both));
  EXPECT_FALSE(evaluate(cnf, b_only));
  cnf.add_clause({});
  EXPECT_FALSE(evaluate(cnf, both));
}

}  // namespace
}  // namespace linn
