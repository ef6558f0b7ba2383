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
  kQuotedName,  // text: between the quotes, with inner quotes still doubled
  kTrue,
  kFalse,
  kNot,
  kConnective,  // op: the connective
  kOpen,
  kClose,
  kEquals,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Op op = Op::kFalse;
  std::size_t offset = 0;  // start of the token in the text, in bytes
  std::size_t length = 0;
  std::string_view text;
};

// Whether the text uses the notation of the authors' data (`~593^924v~29`), where `v` means "or": only digits, ~ ^ v (
// ) and spaces, and every v follows a number or a closing parenthesis.
bool is_authors_form(std::string_view text);

// `lower` must be lower case.
bool equals_ignoring_case(std::string_view word, std::string_view lower);

class Lexer {
 public:
  explicit Lexer(std::string_view text);

  // Returns the next token. Throws InputError for invalid text.
  Token next();

  // The offset from which the next token is read.
  std::size_t offset() const { return at_; }

  // Throws InputError with line, column and excerpt for an offset in the text.
  [[noreturn]] void fail(std::size_t offset, std::string_view message) const;

 private:
  Token word();
  Token quoted();
  Token symbol();
  Token connective(Op op, std::size_t length);
  Token simple(TokenKind kind, std::size_t length);

  std::string_view text_;
  std::size_t at_ = 0;
  bool authors_form_;  // `v` after an operand means "or", and names are numbers
};

}  // namespace linn
