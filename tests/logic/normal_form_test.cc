#include "linn/logic/normal_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "linn/base/error.h"
#include "linn/logic/evaluate.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"
#include "support/expect_error.h"

namespace linn {
namespace {

std::string nnf(std::string_view text) {
  ExpressionPool pool;
  return to_string(pool, to_negation_normal_form(pool, parse_expression(pool, text)));
}

std::string normal(std::string_view text, Form form) {
  ExpressionPool pool;
  return to_string(pool, normalize(pool, parse_expression(pool, text), form));
}
std::string dnf(std::string_view text) { return normal(text, Form::kDnf); }
std::string cnf(std::string_view text) { return normal(text, Form::kCnf); }

TEST(NegationNormalForm, PushesNegationsToTheVariables) {
  EXPECT_EQ(nnf("!(a & !b)"), "!a | b");
  EXPECT_EQ(nnf("!(a | !!b)"), "!a & !b");
  EXPECT_EQ(nnf("a -> b -> c"), "!a | !b | c");
  EXPECT_EQ(nnf("!(a -> b)"), "a & !b");
  EXPECT_EQ(nnf("a xor b"), "(a & !b) | (!a & b)");
  EXPECT_EQ(nnf("a <-> b"), "(a & b) | (!a & !b)");
  EXPECT_EQ(nnf("!(a <-> b)"), "(a & !b) | (!a & b)");
  EXPECT_EQ(nnf("!!!a"), "!a");
}

TEST(NegationNormalForm, FoldsConstants) {
  EXPECT_EQ(nnf("a & T"), "a");
  EXPECT_EQ(nnf("a & !T | b"), "b");
  EXPECT_EQ(nnf("a -> F"), "!a");
  EXPECT_EQ(nnf("a xor T"), "!a");
  EXPECT_EQ(nnf("(a <-> F) | !(b | T)"), "!a");
  EXPECT_EQ(nnf("T xor T"), "F");
  EXPECT_EQ(nnf("a | !F"), "T");
}

TEST(NegationNormalForm, StaysLinear) {
  // Written out, a chain of xor doubles with each operand; as a graph it grows by a few nodes.
  ExpressionPool pool;
  std::string text = "x0";
  for (int i = 1; i < 1000; ++i) text += fmt::format(" xor x{}", i);
  const Expr e = parse_expression(pool, text);
  const std::size_t before = pool.size();
  const Expr made = to_negation_normal_form(pool, e);
  EXPECT_LT(pool.size() - before, 8000U);
  EXPECT_EQ(to_negation_normal_form(pool, made), made);
}

TEST(NegationNormalForm, MakesOnlyThePolaritiesThatAreNeeded) {
  ExpressionPool pool;
  const Expr e = parse_expression(pool, "(a & b & c) | !(d | e)");
  const std::size_t before = pool.size();
  to_negation_normal_form(pool, e);
  EXPECT_EQ(pool.size() - before, 4U);  // !d, !e, !d & !e and the whole
}

TEST(NormalForm, Examples) {
  EXPECT_EQ(dnf("a & (b | c)"), "(a & b) | (a & c)");
  EXPECT_EQ(cnf("a | b & c"), "(a | b) & (a | c)");
  EXPECT_EQ(dnf("a -> b"), "!a | b");
  EXPECT_EQ(dnf("a & b | a & !b"), "(a & b) | (a & !b)");
  EXPECT_EQ(dnf("(a | b) & (a | c)"), "a | (b & c)");
  EXPECT_EQ(cnf("a <-> b"), "(a | !b) & (!a | b)");
  EXPECT_EQ(dnf("a xor b xor c"), "(a & b & c) | (a & !b & !c) | (!a & b & !c) | (!a & !b & c)");
}

TEST(NormalForm, Simplifies) {
  EXPECT_EQ(dnf("b & a & b & a"), "a & b");            // repeated literals
  EXPECT_EQ(dnf("a & b | c | b & a"), "c | (a & b)");  // repeated clauses
  EXPECT_EQ(dnf("a & !a | b"), "b");                   // contradictory clauses
  EXPECT_EQ(cnf("(a | !a) & b"), "b");                 // tautological clauses
  EXPECT_EQ(dnf("a & b & c | b | c & d & b"), "b");    // absorbed clauses
  EXPECT_EQ(cnf("(a | b) & (a | b | c) & (d | a | b)"), "a | b");
  EXPECT_EQ(dnf("a | b | !a"), "T");
  EXPECT_EQ(cnf("a & b & !a"), "F");
  EXPECT_EQ(dnf("(a | b | !a) & c"), "c");
  EXPECT_EQ(dnf("a & T & (b | F)"), "a & b");
}

TEST(NormalForm, OrdersByNameThenByLength) {
  EXPECT_EQ(dnf("v10 | v9 | v2"), "v2 | v9 | v10");
  EXPECT_EQ(dnf("10 & 9 & 100 & 2"), "2 & 9 & 10 & 100");
  EXPECT_EQ(dnf("x2y10 & x2y9 & x02y1 & x"), "x & x02y1 & x2y9 & x2y10");
  EXPECT_EQ(dnf("7 & 007 & 07"), "007 & 07 & 7");
  EXPECT_EQ(dnf("!b & b2 & a & !a1"), "a & !a1 & !b & b2");
  EXPECT_EQ(dnf("c & d | b & c & a | e | b & c"), "e | (b & c) | (c & d)");
  EXPECT_EQ(dnf("!a & b | a & b"), "(a & b) | (!a & b)");
  EXPECT_EQ(dnf("\"é\" & z & Z & 9 & \" \""), "\" \" & 9 & Z & z & \"é\"");
}

TEST(NormalForm, Constants) {
  for (const Form form : {Form::kDnf, Form::kCnf}) {
    EXPECT_EQ(normal("T", form), "T");
    EXPECT_EQ(normal("F", form), "F");
    EXPECT_EQ(normal("!T", form), "F");
    EXPECT_EQ(normal("T & F | T", form), "T");
  }
  ExpressionPool pool;
  const auto clauses = [&](bool value, Form form) {
    const NormalForm made = normalize(pool, pool.constant(value), form);
    EXPECT_TRUE(made.literals.empty());
    EXPECT_EQ(evaluate(made, {}), value);
    return made.clauses();
  };
  EXPECT_EQ(clauses(true, Form::kDnf), 1U);
  EXPECT_EQ(clauses(false, Form::kDnf), 0U);
  EXPECT_EQ(clauses(true, Form::kCnf), 0U);
  EXPECT_EQ(clauses(false, Form::kCnf), 1U);
}

TEST(NormalForm, KnowsWhatIsInForm) {
  ExpressionPool pool;
  const auto in = [&](std::string_view text, Form form) {
    return is_in_form(pool, parse_expression(pool, text), form);
  };
  for (const auto* text : {"T", "F", "a", "!a", "a & !b", "a | b", "a & a", "a | !a"}) {
    EXPECT_TRUE(in(text, Form::kDnf)) << text;
    EXPECT_TRUE(in(text, Form::kCnf)) << text;
  }
  for (const auto* text : {"a & T", "F | a", "!T", "!!a", "a -> b", "a xor b", "!(a & b)", "a & (b & c)", "(a | b) | c",
                           "a <-> b", "a & (b | c & d)"}) {
    EXPECT_FALSE(in(text, Form::kDnf) && in(text, Form::kCnf)) << text;
    EXPECT_FALSE(in(text, Form::kDnf)) << text;
  }
  EXPECT_TRUE(in("a & b | c | !d & d", Form::kDnf));
  EXPECT_FALSE(in("a & b | c | !d & d", Form::kCnf));
  EXPECT_TRUE(in("(a | b) & c", Form::kCnf));
  EXPECT_FALSE(in("(a | b) & c", Form::kDnf));
}

TEST(NormalForm, WrittenClausesKeepOrderAndRepetitions) {
  ExpressionPool pool;
  const auto written = [&](std::string_view text, Form form) {
    return to_string(pool, clauses_as_written(pool, parse_expression(pool, text), form));
  };
  for (const auto* text : {"z | (b & a & b) | (!z & z) | z", "c & !a", "!x", "T", "F", "b | a"}) {
    EXPECT_EQ(written(text, Form::kDnf), text);
  }
  EXPECT_EQ(written("(z | a | z) & b & b", Form::kCnf), "(z | a | z) & b & b");

  Normalizer normalizer(pool);
  const auto network = [&](std::string_view text, Form form) {
    return to_string(pool, normalizer.network_form(parse_expression(pool, text), form));
  };
  EXPECT_EQ(network("b & a & b | b", Form::kDnf), "(b & a & b) | b");
  EXPECT_EQ(network("(b & a & b) | !!b", Form::kDnf), "b");
  EXPECT_EQ(network("b & a & b | b", Form::kCnf), "b");
}

// A conjunction of n disjunctions of two literals; its DNF has 2^n clauses of n literals.
std::string pairs(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += fmt::format("{}(a{} | b{})", i > 0 ? " & " : "", i, i);
  }
  return text;
}

TEST(NormalFormLimits, StateTheSizeAndTheLimit) {
  ExpressionPool pool;
  NormalFormLimits limits;
  limits.max_literals = 64;
  const Expr fits = parse_expression(pool, pairs(4));  // exactly 16 * 4
  EXPECT_EQ(normalize(pool, fits, Form::kDnf, limits).literals.size(), 64U);
  const Expr large = parse_expression(pool, pairs(5));
  expect_input_error([&] { normalize(pool, large, Form::kDnf, limits); }, 0, 0,
                     "the normal form grew to 130 literals, over the limit of 64; raise max_literals");
  limits.max_literals = 160;
  EXPECT_EQ(normalize(pool, large, Form::kDnf, limits).clauses(), 32U);
  EXPECT_EQ(normalize(pool, large, Form::kCnf, limits).clauses(), 5U);
  expect_input_error([&] { normalize(pool, parse_expression(pool, pairs(40)), Form::kDnf); }, 0, 0,
                     "over the limit of 4000000");
}

TEST(NormalFormLimits, HoldWithinOneProduct) {
  // One clause of 3,000 literals times 3,000 clauses of one: each row of the product exceeds the limit.
  ExpressionPool pool;
  std::string text;
  for (int i = 0; i < 3000; ++i) text += fmt::format("a{} & ", i);
  text += "(b0";
  for (int i = 1; i < 3000; ++i) text += fmt::format(" | b{}", i);
  expect_input_error([&] { normalize(pool, parse_expression(pool, text + ")"), Form::kDnf); }, 0, 0,
                     "the normal form grew to");
}

TEST(NormalFormLimits, AllowRebuildingTheClausesAtEveryLevel) {
  ExpressionPool pool;
  std::string text = "z";
  for (int i = 0; i < 120; ++i) text = fmt::format("a{} | b{} & ({})", i, i, text);
  NormalFormLimits limits;
  limits.max_literals = 8000;
  EXPECT_EQ(normalize(pool, parse_expression(pool, text), Form::kDnf, limits).clauses(), 121U);
}

TEST(NormalFormLimits, WorkIsLimitedToo) {
  // The clauses stay few and short, but each level of nesting rebuilds all of them.
  ExpressionPool pool;
  std::string text = "a0 & b0";
  for (int i = 1; i < 20; ++i) text += fmt::format(" | a{} & b{}", i, i);
  for (int i = 0; i < 1000; ++i) text = fmt::format("z | w & ({})", text);
  const Expr root = parse_expression(pool, text);
  NormalFormLimits limits;
  limits.max_literals = 200;
  expect_input_error([&] { normalize(pool, root, Form::kDnf, limits); }, 0, 0, "normalisation exceeded");
  EXPECT_EQ(normalize(pool, root, Form::kDnf).literals.size(), 1U + 20U * 3U);

  // New pairs that are absorbed immediately.
  text.assign(1, 'x');
  for (int i = 0; i < 3000; ++i) text += fmt::format(" & (x | y{} & (z | w))", i);
  EXPECT_EQ(dnf(text), "x");
}

TEST(NormalFormLimits, EnormousLimitsDoNotOverflow) {
  ExpressionPool pool;
  NormalFormLimits limits;
  limits.max_literals = ~std::size_t{0};
  EXPECT_EQ(normalize(pool, parse_expression(pool, pairs(6)), Form::kDnf, limits).clauses(), 64U);
}

}  // namespace
}  // namespace linn
