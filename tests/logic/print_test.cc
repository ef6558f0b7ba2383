#include "linn/logic/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "linn/logic/lexer.h"
#include "linn/logic/parse.h"
#include "support/expect_error.h"
#include "support/random_expression.h"

namespace linn {
namespace {

TEST(Print, Notations) {
  ExpressionPool pool;
  const Expr e = parse_expression(pool, "!(a & !b) xor (c | T) -> F <-> \"x y\"");
  EXPECT_EQ(to_string(pool, e), "((!(a & !b) xor (c | T)) -> F) <-> \"x y\"");
  EXPECT_EQ(to_string(pool, e, Notation::kUnicode), "((¬(a ∧ ¬b) ⊕ (c ∨ ⊤)) → ⊥) ↔ \"x y\"");

  const Expr numbers = parse_expression(pool, "(!1 & (2 | 3)) | !!4 | !(5 & 6) | (7 | 8)");
  EXPECT_EQ(to_string(pool, numbers, Notation::kAuthors), "~1^(2v3)v~~4v~(5^6)v(7v8)");
}

TEST(Print, AuthorsNotationRejectsOtherExpressions) {
  ExpressionPool pool;
  const auto print = [&](std::string_view text) {
    return [&pool, text] { to_string(pool, parse_expression(pool, text), Notation::kAuthors); };
  };
  expect_input_error(print("1 & rain"), 0, 0, "the authors' notation allows only numbers as variables, not rain");
  expect_input_error(print("\"1v2\""), 0, 0, "only numbers as variables, not \"1v2\"");
  expect_input_error(print("1 & T"), 0, 0, "the authors' notation supports only variables, not, and, or");
  expect_input_error(print("1 -> 2"), 0, 0, "the authors' notation supports only");
}

TEST(Print, QuotesOnlyWhereNeeded) {
  for (const auto* name : {"rain", "v12", "42", "_", "t", "f", "nota", "v", "v1", "v1v2", "T1", "TF", "ORs"}) {
    EXPECT_EQ(quote_name(name), name);
  }
  for (const auto* name : {"T",   "F", "true", "False", "and", "OR", "Not", "xor", "1v2", "1v", "1v2v3",
                           "a b", "é", "a-b",  " a",    "(",   "=",  "#",   "\\",  "⊤",   "1.5"}) {
    EXPECT_EQ(quote_name(name), fmt::format("\"{}\"", name));
  }
  EXPECT_EQ(quote_name("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(quote_name("\""), "\"\"\"\"");
}

TEST(Print, NormalForms) {
  ExpressionPool pool;
  const auto dnf = [&](std::string_view text, Notation notation = Notation::kAscii) {
    return to_string(pool, normalize(pool, parse_expression(pool, text), Form::kDnf), notation);
  };
  const auto cnf = [&](std::string_view text, Notation notation = Notation::kAscii) {
    return to_string(pool, normalize(pool, parse_expression(pool, text), Form::kCnf), notation);
  };
  EXPECT_EQ(dnf("a xor b"), "(a & !b) | (!a & b)");
  EXPECT_EQ(cnf("a xor b", Notation::kUnicode), "(a ∨ b) ∧ (¬a ∨ ¬b)");
  EXPECT_EQ(dnf("1 & 2 | 3", Notation::kAuthors), "3v1^2");
  EXPECT_EQ(cnf("(1 | 2) & 3", Notation::kAuthors), "3^(1v2)");
  EXPECT_EQ(dnf("a & b"), "a & b");
  EXPECT_EQ(cnf("a & b"), "a & b");
  EXPECT_EQ(dnf("a & !a"), "F");
  EXPECT_EQ(dnf("a | !a"), "T");
  EXPECT_EQ(cnf("a | !a", Notation::kUnicode), "⊤");
  EXPECT_EQ(cnf("a & !a", Notation::kUnicode), "⊥");
  expect_input_error([&] { dnf("1 | !1", Notation::kAuthors); }, 0, 0, "the authors' notation supports only");
}

TEST(Print, LimitsTheLengthOfTheText) {
  ExpressionPool pool;
  Expr e = pool.variable(std::string(1'000'000, 'a'));
  for (int i = 0; i < 100; ++i) e = pool.conjunction({e, e});
  expect_input_error([&] { to_string(pool, e); }, 0, 0, "the expression is longer than");
}

RC_GTEST_PROP(Print, ParsesToTheSameExpression, (std::uint64_t seed)) {
  ExpressionPool pool;
  RandomExpressionOptions options;
  options.variables = kWeirdNames.size();
  options.leaves = 40;
  options.names = RandomExpressionOptions::Names::kWeird;
  RandomExpression random(pool, seed, options);
  for (int i = 0; i < 10; ++i) {
    const Expr e = random.make();
    RC_ASSERT(parse_expression(pool, to_string(pool, e)) == e);
    RC_ASSERT(parse_expression(pool, to_string(pool, e, Notation::kUnicode)) == e);
    RC_ASSERT(parse_equation(pool, to_string(pool, e) + " = 0.5").expression == e);
  }
}

RC_GTEST_PROP(Print, AuthorsFormParsesToTheSameExpression, (std::uint64_t seed)) {
  ExpressionPool pool;
  RandomExpressionOptions options;
  options.leaves = 40;
  options.names = RandomExpressionOptions::Names::kNumbers;
  options.constants = false;
  options.all_operators = false;
  RandomExpression random(pool, seed, options);
  for (int i = 0; i < 10; ++i) {
    const Expr e = random.make();
    const std::string text = to_string(pool, e, Notation::kAuthors);
    RC_ASSERT(is_authors_form(text));
    RC_ASSERT(parse_expression(pool, text) == e);
  }
}

}  // namespace
}  // namespace linn
