#include "linn/logic/parse.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/logic/lexer.h"

namespace linn {
namespace {

constexpr std::string_view kOperandExpected = "expected a variable, T, F, '!' or '('";

std::string describe(const Token& token) {
  constexpr std::size_t kMaxShown = 40;
  if (token.kind == TokenKind::kEnd) return "the end";
  const std::string_view quotes = token.kind == TokenKind::kQuotedName ? "\"" : "'";
  const std::string_view cut = count_characters(token.text) > kMaxShown ? "..." : "";
  return fmt::format("{}{}{}{}", quotes, printable(token.text, kMaxShown), cut, quotes);
}

// Operator precedence parsing with explicit stacks, so that nesting consumes memory and never the call stack. Op is
// ordered by precedence: a smaller connective binds tighter.
class Parser {
 public:
  Parser(ExpressionPool& pool, std::string_view text) : pool_(pool), lexer_(text) {
    constexpr std::size_t kInitialCapacity = 32;
    pending_.reserve(kInitialCapacity);
    operands_.reserve(kInitialCapacity);
  }

  Expr expression() {
    Token token = lexer_.next();
    for (;;) {
      token = operand(token);
      while (token.kind == TokenKind::kClose) {
        close(token);
        token = lexer_.next();
      }
      if (token.kind == TokenKind::kConnective) {
        connective(token.op);
        token = lexer_.next();
        continue;
      }
      if (token.kind == TokenKind::kEnd || token.kind == TokenKind::kEquals) break;
      lexer_.fail(token.offset, fmt::format("expected an operator such as '&' or '|'{}, found {}",
                                            open_parentheses_ > 0 ? " or ')'" : " or the end", describe(token)));
    }
    end_ = token;
    while (!pending_.empty()) {
      if (pending_.back().op == kOpenParenthesis) {
        lexer_.fail(token.offset, fmt::format("expected ')' for the '(' at {}, found {}",
                                              place_of(pending_.back().offset), describe(token)));
      }
      reduce();
    }
    return operands_.back();
  }

  // The token that ended the expression: kEnd or kEquals.
  const Token& end() const { return end_; }
  const Lexer& lexer() const { return lexer_; }

 private:
  static constexpr Op kOpenParenthesis = Op::kFalse;

  // A connective, a negation or an opening parenthesis waiting for its operands.
  struct Pending {
    Op op;
    std::size_t operands;  // of a connective: number of operands on the stack once the next one is read
    std::size_t offset;    // of a parenthesis: its offset in the text
  };

  // Reads one operand with its leading negations and parentheses; returns the token after it.
  Token operand(Token token) {
    for (;; token = lexer_.next()) {
      switch (token.kind) {
        case TokenKind::kNot:
          pending_.push_back({Op::kNot, 1, 0});
          continue;
        case TokenKind::kOpen:
          pending_.push_back({kOpenParenthesis, 0, token.offset});
          ++open_parentheses_;
          continue;
        case TokenKind::kName:
          operands_.push_back(pool_.variable(token.text));
          break;
        case TokenKind::kQuotedName:
          operands_.push_back(quoted_variable(token));
          break;
        case TokenKind::kTrue:
          operands_.push_back(pool_.constant(true));
          break;
        case TokenKind::kFalse:
          operands_.push_back(pool_.constant(false));
          break;
        default:
          lexer_.fail(token.offset, fmt::format("{}, found {}", kOperandExpected, describe(token)));
      }
      apply_negations();
      return lexer_.next();
    }
  }

  void connective(Op op) {
    while (!pending_.empty() && pending_.back().op >= Op::kAnd && pending_.back().op < op) reduce();
    if (!pending_.empty() && pending_.back().op == op) {
      ++pending_.back().operands;
    } else {
      pending_.push_back({op, 2, 0});
    }
  }

  void close(const Token& token) {
    while (!pending_.empty() && pending_.back().op != kOpenParenthesis) reduce();
    if (pending_.empty()) lexer_.fail(token.offset, "unmatched ')'");
    pending_.pop_back();
    --open_parentheses_;
    apply_negations();
  }

  void apply_negations() {
    while (!pending_.empty() && pending_.back().op == Op::kNot) {
      operands_.back() = pool_.negation(operands_.back());
      pending_.pop_back();
    }
  }

  void reduce() {
    const Pending top = pending_.back();
    pending_.pop_back();
    const std::size_t first = operands_.size() - top.operands;
    const Expr made = pool_.chain(top.op, std::span(operands_).subspan(first));
    operands_.resize(first);
    operands_.push_back(made);
  }

  Expr quoted_variable(const Token& token) {
    try {
      if (token.text.find('"') == std::string_view::npos) return pool_.variable(token.text);
      std::string name;
      for (std::size_t i = 0; i < token.text.size(); ++i) {
        name += token.text[i];
        if (token.text[i] == '"') ++i;
      }
      return pool_.variable(name);
    } catch (const InputError& error) {
      lexer_.fail(token.offset, error.message());
    }
  }

  std::string place_of(std::size_t offset) const {
    try {
      lexer_.fail(offset, "");
    } catch (const InputError& error) {
      const Place& place = error.place();
      return place.line > 1 ? fmt::format("line {}, column {}", place.line, place.column)
                            : fmt::format("column {}", place.column);
    }
  }

  ExpressionPool& pool_;
  Lexer lexer_;
  std::vector<Pending> pending_;
  std::vector<Expr> operands_;
  std::size_t open_parentheses_ = 0;
  Token end_;
};

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

}  // namespace

std::optional<float> parse_label(std::string_view text) {
  text = trim(text);
  if (text == "1" || text == "T") return 1.0F;
  if (text == "0" || text == "F") return 0.0F;
  if (equals_ignoring_case(text, "true")) return 1.0F;
  if (equals_ignoring_case(text, "false")) return 0.0F;
  // In double precision, so that 1.00000001 does not become 1, and 1e-40 is not rejected.
  double value = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= 0.0 && value <= 1.0)) return std::nullopt;
  return static_cast<float>(value) + 0.0F;  // turns -0 into 0
}

MaybeEquation parse_maybe_equation(ExpressionPool& pool, std::string_view text) {
  Parser parser(pool, text);
  const Expr expression = parser.expression();
  if (parser.end().kind == TokenKind::kEnd) return {expression, std::nullopt};

  const std::string_view rest = text.substr(parser.lexer().offset());
  const std::optional<float> label = parse_label(rest);
  if (!label) {
    const std::size_t blank = rest.find_first_not_of(" \t\r\n");
    const std::size_t at = blank == std::string_view::npos ? text.size() : parser.lexer().offset() + blank;
    parser.lexer().fail(at, "expected T, F, 1, 0 or a number between them after '='");
  }
  return {expression, label};
}

Equation parse_equation(ExpressionPool& pool, std::string_view text) {
  const MaybeEquation parsed = parse_maybe_equation(pool, text);
  if (!parsed.label) Lexer(text).fail(text.size(), "expected '= VALUE' after the expression, found the end");
  return {parsed.expression, *parsed.label};
}

Expr parse_expression(ExpressionPool& pool, std::string_view text) {
  Parser parser(pool, text);
  const Expr expression = parser.expression();
  if (parser.end().kind == TokenKind::kEquals) {
    parser.lexer().fail(parser.end().offset, "expected an expression without a value, found '='");
  }
  return expression;
}

}  // namespace linn
