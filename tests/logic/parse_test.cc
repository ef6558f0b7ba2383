#include "linn/logic/parse.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "linn/base/error.h"
#include "linn/logic/print.h"
#include "support/expect_error.h"

namespace linn {
namespace {

// The parsed expression printed with every parenthesis.
std::string meaning(std::string_view text) {
  ExpressionPool pool;
  return to_string(pool, parse_expression(pool, text));
}

TEST(Parse, Operands) {
  EXPECT_EQ(meaning("rain"), "rain");
  EXPECT_EQ(meaning(" ( ( rain ) ) "), "rain");
  EXPECT_EQ(meaning("42"), "42");
  EXPECT_EQ(meaning("T"), "T");
  EXPECT_EQ(meaning("true"), "T");
  EXPECT_EQ(meaning("FALSE"), "F");
  EXPECT_EQ(meaning("t"), "t");
  EXPECT_EQ(meaning("⊤ & ⊥"), "T & F");
  EXPECT_EQ(meaning("!a"), "!a");
  EXPECT_EQ(meaning("not~¬! a"), "!!!!a");
  EXPECT_EQ(meaning("not(a)"), "!a");
  EXPECT_EQ(meaning("\"rain\" & \"T\""), "rain & \"T\"");
  EXPECT_EQ(meaning("\"Star Wars (1977)\""), "\"Star Wars (1977)\"");
  EXPECT_EQ(meaning("\"say \"\"hi\"\"\""), "\"say \"\"hi\"\"\"");
}

TEST(Parse, QuotedAndBareNamesAreTheSameVariable) {
  ExpressionPool pool;
  EXPECT_EQ(parse_expression(pool, "\"rain\""), parse_expression(pool, "rain"));
  EXPECT_EQ(pool.variables().size(), 1U);
  parse_expression(pool, R"("a""b")");
  EXPECT_EQ(pool.variables().find("a\"b"), 1U);
}

TEST(Parse, BindsTighterToLooser) {
  EXPECT_EQ(meaning("a <-> b -> c | d xor e & !f"), "a <-> (b -> (c | (d xor (e & !f))))");
  EXPECT_EQ(meaning("!a & b xor c | d -> e <-> f"), "((((!a & b) xor c) | d) -> e) <-> f");
  EXPECT_EQ(meaning("a & b | c & d"), "(a & b) | (c & d)");
  EXPECT_EQ(meaning("a | b & c | d"), "a | (b & c) | d");
  EXPECT_EQ(meaning("a xor b & c xor d"), "a xor (b & c) xor d");
  EXPECT_EQ(meaning("a -> b | c -> d"), "a -> (b | c) -> d");
  EXPECT_EQ(meaning("a & (b | c)"), "a & (b | c)");
  EXPECT_EQ(meaning("!(a & b)"), "!(a & b)");
  EXPECT_EQ(meaning("!a <-> !b -> !c"), "!a <-> (!b -> !c)");
}

TEST(Parse, ChainsAreOneNodeAndParenthesesAreKept) {
  ExpressionPool pool;
  EXPECT_EQ(pool.operands(parse_expression(pool, "a & b && c ^ d ∧ e and f")).size(), 6U);
  EXPECT_EQ(pool.operands(parse_expression(pool, "a | b || c ∨ d OR e")).size(), 5U);
  EXPECT_EQ(pool.operands(parse_expression(pool, "a -> b → c")).size(), 3U);
  EXPECT_EQ(pool.operands(parse_expression(pool, "a <-> b ↔ c")).size(), 3U);
  EXPECT_EQ(pool.operands(parse_expression(pool, "a xor b ⊕ c")).size(), 3U);
  EXPECT_EQ(meaning("a & (b & c)"), "a & (b & c)");
  EXPECT_EQ(meaning("(a & b) & c"), "(a & b) & c");
  EXPECT_EQ(meaning("(a -> b) -> c"), "(a -> b) -> c");
  EXPECT_EQ(meaning("a -> (b -> c)"), "a -> (b -> c)");
}

TEST(Parse, AuthorsForm) {
  EXPECT_EQ(meaning("~593^924v~29"), "(!593 & 924) | !29");
  EXPECT_EQ(meaning("1v2v3"), "1 | 2 | 3");
  EXPECT_EQ(meaning("(1v2)^~(3)v4"), "((1 | 2) & !3) | 4");
  EXPECT_EQ(meaning(" 1 v 2 "), "1 | 2");
  EXPECT_EQ(meaning("v1 ^ ~v2"), "v1 & !v2");
  EXPECT_EQ(meaning("1 ^ v2"), "1 & v2");
  EXPECT_EQ(meaning("1v2 & 3"), "\"1v2\" & 3");
  EXPECT_EQ(meaning("\"1v2\""), "\"1v2\"");
  EXPECT_EQ(meaning("v"), "v");
}

TEST(Parse, EqualTextsShareNodes) {
  ExpressionPool pool;
  const Expr first = parse_expression(pool, "(a & !b) | c");
  const std::size_t size = pool.size();
  EXPECT_EQ(parse_expression(pool, "((a)∧not b) or c"), first);
  EXPECT_EQ(pool.size(), size);
  parse_expression(pool, "(a & !b) | (a & !b)");
  EXPECT_EQ(pool.size(), size + 1);
}

TEST(Parse, SpansLines) { EXPECT_EQ(meaning("a\r\n & b\n\t| c\n"), "(a & b) | c"); }

TEST(ParseErrors, SayWhereAndWhat) {
  const auto parse = [](std::string_view text) {
    return [text] {
      ExpressionPool pool;
      parse_expression(pool, text);
    };
  };
  const std::string operand = "expected a variable, T, F, '!' or '(', found ";
  expect_input_error(parse(""), 1, 1, operand + "the end");
  expect_input_error(parse("  "), 1, 3, operand + "the end");
  expect_input_error(parse("a &"), 1, 4, operand + "the end");
  expect_input_error(parse("a & | b"), 1, 5, operand + "'|'");
  expect_input_error(parse("& a"), 1, 1, operand + "'&'");
  expect_input_error(parse("()"), 1, 2, operand + "')'");
  expect_input_error(parse("a and or b"), 1, 7, operand + "'or'");
  expect_input_error(parse("!"), 1, 2, operand + "the end");
  expect_input_error(parse("1v"), 1, 3, operand + "the end");
  expect_input_error(parse("1v^2"), 1, 3, operand + "'^'");
  expect_input_error(parse("a b"), 1, 3, "expected an operator such as '&' or '|' or the end, found 'b'");
  expect_input_error(parse("a !b"), 1, 3, "or the end, found '!'");
  expect_input_error(parse("(a b)"), 1, 4, "expected an operator such as '&' or '|' or ')', found 'b'");
  expect_input_error(parse("a (b)"), 1, 3, "or the end, found '('");
  expect_input_error(parse("1 2"), 1, 3, "or the end, found '2'");
  expect_input_error(parse("a \"b\""), 1, 3, "found \"b\"");
  expect_input_error(parse("a T"), 1, 3, "found 'T'");
  expect_input_error(parse("a)"), 1, 2, "unmatched ')'");
  expect_input_error(parse("(a))"), 1, 4, "unmatched ')'");
  expect_input_error(parse("((a)"), 1, 5, "expected ')' for the '(' at column 1, found the end");
  expect_input_error(parse("a & (b |\n(c"), 2, 3, "expected ')' for the '(' at line 2, column 1, found the end");
  expect_input_error(parse("(a = T)"), 1, 4, "expected ')' for the '(' at column 1, found '='");
  expect_input_error(parse("¬¬«"), 1, 3, "unexpected character '«'");
  expect_input_error(parse("a &\nb\n& & c"), 3, 3, operand + "'&'");
  expect_input_error(parse("a = T"), 1, 3, "expected an expression without a value, found '='");
  expect_input_error(parse("a & \"b\x01\""), 1, 5, "a variable's name must not contain control characters");
  expect_input_error(parse("a & \"\xff\""), 1, 5, "a variable's name must be valid UTF-8");
}

TEST(ParseErrors, QuoteLongAndBrokenTokensReadably) {
  const auto found = [](const std::string& text) {
    ExpressionPool pool;
    try {
      parse_expression(pool, text);
    } catch (const InputError& error) {
      return error.message().substr(error.message().find("found "));
    }
    return std::string();
  };
  EXPECT_EQ(found("a " + std::string(50, 'x')), "found '" + std::string(40, 'x') + "...'");
  std::string accents;
  for (int i = 0; i < 41; ++i) accents += "é";
  EXPECT_EQ(found("a \"" + accents + "\""), "found \"" + accents.substr(2) + "...\"");
  EXPECT_EQ(found("a \"\xff\x01\""), "found \"??\"");
}

TEST(ParseErrors, ShowTheLineWithACaret) {
  const auto excerpt = [](std::string_view text) {
    ExpressionPool pool;
    try {
      parse_expression(pool, text);
    } catch (const InputError& error) {
      return error.excerpt();
    }
    return std::string();
  };
  EXPECT_EQ(excerpt("a & | b"), "  a & | b\n      ^\n");
  EXPECT_EQ(excerpt("a &"), "  a &\n     ^\n");
  EXPECT_EQ(excerpt("x |\n¬é\n& y"), "  ¬é\n   ^\n");
  EXPECT_EQ(excerpt("a\t$"), "  a $\n    ^\n");
  EXPECT_EQ(excerpt("a $\r\n| b"), "  a $\n    ^\n");
  EXPECT_EQ(excerpt("a \xff"), "  a ?\n    ^\n");
  EXPECT_EQ(excerpt(""), "");
  const std::string shown = excerpt(std::string(500, '!') + "$" + std::string(500, 'a'));
  EXPECT_EQ(shown,
            "  ..." + std::string(60, '!') + "$" + std::string(39, 'a') + "...\n" + std::string(65, ' ') + "^\n");
}

TEST(ParseLabel, KnowsConstantsAndNumbers) {
  for (const auto& [text, label] : {std::pair{"T", 1.0F},
                                    {"1", 1.0F},
                                    {"true", 1.0F},
                                    {"TRUE", 1.0F},
                                    {"F", 0.0F},
                                    {"0", 0.0F},
                                    {"False", 0.0F},
                                    {" 0.25\r\n", 0.25F},
                                    {"1.0", 1.0F},
                                    {"0.0", 0.0F},
                                    {"1e-1", 0.1F},
                                    {".5", 0.5F},
                                    {"-0", 0.0F},
                                    {"1e-60", 0.0F}}) {
    ASSERT_TRUE(parse_label(text)) << text;
    EXPECT_EQ(*parse_label(text), label) << text;
    EXPECT_FALSE(std::signbit(*parse_label(text))) << text;
  }
  for (const auto* text : {"", " ", "t", "f", "2", "-1", "-0.1", "1.1", "1.00000001", "nan", "inf", "0.5x", "1 1",
                           "yes", "0x1", "T F", "\"T\"", "1,0"}) {
    EXPECT_FALSE(parse_label(text)) << text;
  }
}

TEST(ParseEquation, ReadsExpressionAndLabel) {
  ExpressionPool pool;
  const Equation equation = parse_equation(pool, "rain -> wet = 0.75");
  EXPECT_EQ(equation.expression, parse_expression(pool, "rain -> wet"));
  EXPECT_EQ(equation.label, 0.75F);
  EXPECT_EQ(parse_equation(pool, "1v2=F").label, 0.0F);
  EXPECT_EQ(parse_equation(pool, "1v2 = T").expression, parse_expression(pool, "1 | 2"));
  EXPECT_EQ(parse_equation(pool, "\"a=b\" = 1").expression, pool.variable("a=b"));
  EXPECT_EQ(parse_equation(pool, "T = F\n").expression, pool.constant(true));

  EXPECT_EQ(parse_maybe_equation(pool, "a & b").label, std::nullopt);
  EXPECT_EQ(parse_maybe_equation(pool, "a & b = 0").label, 0.0F);
}

TEST(ParseEquation, RejectsInvalidLabels) {
  const auto parse = [](std::string_view text) {
    return [text] {
      ExpressionPool pool;
      parse_equation(pool, text);
    };
  };
  expect_input_error(parse("a & b"), 1, 6, "expected '= VALUE' after the expression, found the end");
  expect_input_error(parse("a ="), 1, 4, "expected T, F, 1, 0 or a number between them after '='");
  expect_input_error(parse("a =  2"), 1, 6, "expected T, F, 1, 0 or a number between them after '='");
  expect_input_error(parse("a == T"), 1, 4, "after '='");
  expect_input_error(parse("¬é"), 1, 2, "unexpected character 'é'");
  expect_input_error(parse("= T"), 1, 1, "expected a variable, T, F, '!' or '(', found '='");
  expect_input_error(parse("a = T = F"), 1, 5, "after '='");
}

}  // namespace
}  // namespace linn
