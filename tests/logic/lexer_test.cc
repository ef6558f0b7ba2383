#include "linn/logic/lexer.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "support/expect_error.h"

namespace linn {
namespace {

std::vector<TokenKind> kinds(std::string_view text) {
  Lexer lexer(text);
  std::vector<TokenKind> result;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) result.push_back(token.kind);
  return result;
}

std::vector<std::string> texts(std::string_view text) {
  Lexer lexer(text);
  std::vector<std::string> result;
  for (Token token = lexer.next(); token.kind != TokenKind::kEnd; token = lexer.next()) result.emplace_back(token.text);
  return result;
}

using Texts = std::vector<std::string>;

TEST(Lexer, KnowsEverySymbol) {
  Lexer lexer("& && ^ ∧ | || ∨ ⊕ -> → <-> ↔");
  for (const Op op : {Op::kAnd, Op::kAnd, Op::kAnd, Op::kAnd, Op::kOr, Op::kOr, Op::kOr, Op::kXor, Op::kImplies,
                      Op::kImplies, Op::kIff, Op::kIff}) {
    const Token token = lexer.next();
    EXPECT_EQ(token.kind, TokenKind::kConnective);
    EXPECT_EQ(token.op, op) << token.text;
  }
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);
  EXPECT_EQ(lexer.next().kind, TokenKind::kEnd);

  using enum TokenKind;
  EXPECT_EQ(kinds("! ~ ¬ ( ) = ⊤ ⊥ T F"),
            (std::vector{kNot, kNot, kNot, kOpen, kClose, kEquals, kTrue, kFalse, kTrue, kFalse}));
}

TEST(Lexer, KnowsWordsInAnyCase) {
  using enum TokenKind;
  EXPECT_EQ(
      kinds("not NOT nOt and And or OR xor XOR"),
      (std::vector{kNot, kNot, kNot, kConnective, kConnective, kConnective, kConnective, kConnective, kConnective}));
  EXPECT_EQ(kinds("true TRUE True false FALSE fAlse"), (std::vector{kTrue, kTrue, kTrue, kFalse, kFalse, kFalse}));
  EXPECT_EQ(kinds("t f nota an orr xo truee _not not_ T1 F_ TF"), std::vector(12, kName));
}

TEST(Lexer, CutsNamesAtTheRightPlaces) {
  EXPECT_EQ(texts("rain&v12|_x->a_b<->42"), (Texts{"rain", "&", "v12", "|", "_x", "->", "a_b", "<->", "42"}));
  EXPECT_EQ(texts("a\tb\nc\rd"), (Texts{"a", "b", "c", "d"}));
  EXPECT_EQ(texts("a&&&b"), (Texts{"a", "&&", "&", "b"}));
}

TEST(Lexer, QuotedNamesKeepTheirQuotesDoubled) {
  EXPECT_EQ(texts(R"q("Star Wars (1977)" "a""b" """" "\" "and")q"),
            (Texts{"Star Wars (1977)", R"(a""b)", R"("")", "\\", "and"}));
  EXPECT_EQ(kinds(R"("T""F")"), std::vector{TokenKind::kQuotedName});
}

TEST(Lexer, DistinguishesTheAuthorsNotationFromNames) {
  EXPECT_TRUE(is_authors_form("~593^924v~29"));
  EXPECT_TRUE(is_authors_form("(1v2)^(3) v 4"));
  EXPECT_TRUE(is_authors_form("1 v2"));
  EXPECT_TRUE(is_authors_form("17"));
  EXPECT_FALSE(is_authors_form("v1 ^ ~v2"));
  EXPECT_FALSE(is_authors_form("1 ^ v2"));
  EXPECT_FALSE(is_authors_form("1vv2"));
  EXPECT_FALSE(is_authors_form("(v1)"));
  EXPECT_FALSE(is_authors_form("1v2 & 3"));
  EXPECT_FALSE(is_authors_form("1V2"));
  EXPECT_FALSE(is_authors_form("1vT"));

  EXPECT_EQ(texts("~593^924v~29"), (Texts{"~", "593", "^", "924", "v", "~", "29"}));
  EXPECT_EQ(texts("(1)v(2)"), (Texts{"(", "1", ")", "v", "(", "2", ")"}));
  EXPECT_EQ(texts("v1 ^ ~v2"), (Texts{"v1", "^", "~", "v2"}));
  EXPECT_EQ(texts("1v2 & 3"), (Texts{"1v2", "&", "3"}));
  EXPECT_EQ(texts("1vv2"), Texts{"1vv2"});
  EXPECT_EQ(texts("1v2^3 = "), (Texts{"1", "v", "2", "^", "3", "="}));
}

TEST(Lexer, RejectsInvalidTokens) {
  const auto lex = [](std::string_view text) { return [text] { kinds(text); }; };
  expect_input_error(lex("a $ b"), 1, 3, "unexpected character '$'");
  expect_input_error(lex("a & é"), 1, 5,
                     "unexpected character 'é'; put names with non-ASCII characters in double quotes");
  expect_input_error(lex("¬¬é"), 1, 3, "unexpected character 'é'");
  expect_input_error(lex("a - b"), 1, 3, "expected '->' here");
  expect_input_error(lex("a <- b"), 1, 3, "expected '<->' here");
  expect_input_error(lex("a\n\n <= b"), 3, 2, "expected '<->' here");
  expect_input_error(lex("a \xff"), 1, 3, "byte 0xFF is not valid UTF-8");
  expect_input_error(lex("a \xe2\x88"), 1, 3, "byte 0xE2 is not valid UTF-8");
  expect_input_error(lex("a \x01"), 1, 3, "unexpected control character 0x01");
  expect_input_error(lex("a \x7f"), 1, 3, "unexpected control character 0x7F");
  expect_input_error(lex(std::string_view("a\0b", 3)), 1, 2, "unexpected control character 0x00");
  expect_input_error(lex("a \"b"), 1, 3, "unterminated quoted name");
  expect_input_error(lex(R"("a"")"), 1, 1, "unterminated quoted name");
  expect_input_error(lex("\"a\nb\""), 1, 1, "unterminated quoted name: expected '\"' on the same line");
  expect_input_error(lex("a & \"\""), 1, 5, "a quoted name must not be empty");
}

}  // namespace
}  // namespace linn
