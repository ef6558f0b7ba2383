#include "linn/logic/expression.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "linn/logic/parse.h"
#include "support/expect_error.h"
#include "support/random_expression.h"

namespace linn {
namespace {

TEST(ExpressionPool, EqualStructuresAreOneNode) {
  ExpressionPool pool;
  const Expr a = pool.variable("a"), b = pool.variable("b");
  EXPECT_EQ(pool.variable("a"), a);
  EXPECT_EQ(pool.negation(a), pool.negation(a));
  EXPECT_EQ(pool.conjunction({a, b}), pool.conjunction({a, b}));
  EXPECT_NE(pool.conjunction({a, b}), pool.conjunction({b, a}));
  EXPECT_NE(pool.conjunction({a, b}), pool.disjunction({a, b}));
  EXPECT_NE(pool.conjunction({a, b, b}), pool.conjunction({a, b}));
  EXPECT_NE(pool.negation(pool.negation(a)), a);
  EXPECT_EQ(pool.op(pool.constant(true)), Op::kTrue);
  EXPECT_EQ(pool.op(pool.constant(false)), Op::kFalse);
}

TEST(ExpressionPool, ShortChains) {
  ExpressionPool pool;
  const Expr a = pool.variable("a");
  EXPECT_EQ(pool.conjunction({a}), a);
  EXPECT_EQ(pool.chain(Op::kIff, std::vector{a}), a);
  EXPECT_EQ(pool.chain(Op::kAnd, {}), pool.constant(true));
  EXPECT_EQ(pool.chain(Op::kOr, {}), pool.constant(false));
  expect_input_error([&] { pool.chain(Op::kXor, {}); }, 0, 0, "empty");
}

TEST(ExpressionPool, LeavesAndOperands) {
  ExpressionPool pool;
  const Expr a = pool.variable("a"), b = pool.variable("b");
  const Expr both = pool.conjunction({a, pool.negation(b), a});
  EXPECT_EQ(pool.variables().name(pool.variable_of(b)), "b");
  EXPECT_TRUE(pool.operands(a).empty());
  EXPECT_TRUE(pool.operands(pool.constant(true)).empty());
  EXPECT_TRUE(std::ranges::equal(pool.operands(both), std::vector{a, pool.negation(b), a}));
}

TEST(ExpressionPool, OperandsMayBeAViewIntoThePool) {
  ExpressionPool pool;
  std::vector<Expr> variables;
  variables.reserve(100);
  for (int i = 0; i < 100; ++i) variables.push_back(pool.variable(fmt::format("x{}", i)));
  Expr last = pool.chain(Op::kAnd, variables);
  // Each chain is built from the operands of the previous one, while the memory behind them is reallocated.
  for (std::size_t n = 99; n >= 2; --n) {
    last = pool.chain(n % 2 == 0 ? Op::kAnd : Op::kOr, pool.operands(last).first(n));
    ASSERT_TRUE(std::ranges::equal(pool.operands(last), std::span(variables).first(n)));
  }
}

TEST(ExpressionPool, VariablesMayBeNamedBeforeTheyAreUsed) {
  ExpressionPool pool;
  pool.variables().intern("a");
  const VariableId b = pool.variables().intern("b");
  EXPECT_EQ(pool.variable(b), pool.variable("b"));
  EXPECT_EQ(pool.variable_of(pool.variable("a")), 0U);
}

TEST(Walk, VisitsEachNodeOnceChildrenFirst) {
  ExpressionPool pool;
  Walk walk;
  RandomExpressionOptions options;
  options.leaves = 40;
  RandomExpression random(pool, 1, options);
  for (int i = 0; i < 300; ++i) {
    const Expr root = random.make();
    const auto order = walk.post_order(pool, root);
    ASSERT_EQ(order.back(), root);
    std::vector<bool> visited(pool.size(), false), used(pool.size(), false);
    used[root.index] = true;
    for (const Expr e : order) {
      ASSERT_FALSE(visited[e.index]);
      visited[e.index] = true;
      for (const Expr child : pool.operands(e)) {
        ASSERT_TRUE(visited[child.index]);
        used[child.index] = true;
      }
    }
    ASSERT_EQ(visited, used);  // nothing but the root and operands of visited nodes
  }
}

TEST(Walk, SharedNodesDoNotMultiply) {
  ExpressionPool pool;
  Expr e = pool.variable("a");
  for (int i = 0; i < 200; ++i) e = pool.conjunction({e, e});
  EXPECT_EQ(Walk().post_order(pool, e).size(), 201U);
}

}  // namespace
}  // namespace linn
