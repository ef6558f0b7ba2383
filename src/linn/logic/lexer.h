// The tokens of the expression language.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "linn/logic/expression.h"

namespace linn {

enum class TokenKind : std::uint8_t {
  kEnd,
  kName,        // text: the name
  kQuotedName,  // text: what stands between the quotes, a quote within it still doubled
  kTrue,
  kFalse,
  kNot,
  kConnective,  // op: which
  kOpen,
  kClose,
  kEquals,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Op op = Op::kFalse;
  std::size_t offset = 0;  // where it starts in the text, in bytes
  std::size_t length = 0;
  std::string_view text;
};

// `lower` must be in lower case.
bool equals_ignoring_case(std::string_view word, std::string_view lower);

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  // The next token. Throws InputError at what is no token of the language.
  Token next();

  // Where the next token is looked for.
  std::size_t offset() const { return at_; }

  // An InputError with line, column and excerpt for a place in the text.
  [[noreturn]] void fail(std::size_t offset, std::string_view message) const;

 private:
  Token word();
  Token quoted();
  Token symbol();
  Token connective(Op op, std::size_t length);
  Token simple(TokenKind kind, std::size_t length);

  std::string_view text_;
  std::size_t at_ = 0;
  bool authors_form_;  // `v` after an operand is "or", and names are numbers
};

}  // namespace linn
