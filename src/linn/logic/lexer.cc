#include "linn/logic/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

constexpr std::array<bool, 256> make_name_table() {
  std::array<bool, 256> table{};
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = true;
  table[static_cast<unsigned char>('_')] = true;
  return table;
}
constexpr std::array<bool, 256> kNameTable = make_name_table();

bool is_name_character(char c) { return kNameTable[static_cast<unsigned char>(c)]; }

// The role of a character in the authors' notation.
enum class AuthorsClass : std::uint8_t { kOther, kSpace, kOperandEnd, kOr, kSymbol };

constexpr std::array<AuthorsClass, 256> make_authors_table() {
  std::array<AuthorsClass, 256> table{};
  for (unsigned c = 0; c < table.size(); ++c) {
    const char character = static_cast<char>(c);
    if (is_space(character)) table[c] = AuthorsClass::kSpace;
    if (is_digit(character) || character == ')') table[c] = AuthorsClass::kOperandEnd;
    if (character == '~' || character == '^' || character == '(') table[c] = AuthorsClass::kSymbol;
    if (character == 'v') table[c] = AuthorsClass::kOr;
  }
  return table;
}
constexpr std::array<AuthorsClass, 256> kAuthorsTable = make_authors_table();

struct UnicodeSymbol {
  std::string_view text;
  TokenKind kind;
  Op op;
};
constexpr std::array<UnicodeSymbol, 8> kUnicodeSymbols = {{
    {"¬", TokenKind::kNot, Op::kNot},
    {"∧", TokenKind::kConnective, Op::kAnd},
    {"∨", TokenKind::kConnective, Op::kOr},
    {"⊕", TokenKind::kConnective, Op::kXor},
    {"→", TokenKind::kConnective, Op::kImplies},
    {"↔", TokenKind::kConnective, Op::kIff},
    {"⊤", TokenKind::kTrue, Op::kTrue},
    {"⊥", TokenKind::kFalse, Op::kFalse},
}};

}  // namespace

bool equals_ignoring_case(std::string_view word, std::string_view lower) {
  if (word.size() != lower.size()) return false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lower[i]) return false;
  }
  return true;
}

bool is_authors_form(std::string_view text) {
  bool after_operand = false;  // the last non-space character was a digit or ')'
  for (const char c : text) {
    const AuthorsClass kind = kAuthorsTable[static_cast<unsigned char>(c)];
    if (kind == AuthorsClass::kOther || (kind == AuthorsClass::kOr && !after_operand)) return false;
    if (kind != AuthorsClass::kSpace) after_operand = kind == AuthorsClass::kOperandEnd;
  }
  return true;
}

Lexer::Lexer(std::string_view text) : text_(text), authors_form_(is_authors_form(text.substr(0, text.find('=')))) {}

Token Lexer::simple(TokenKind kind, std::size_t length) {
  const Token token{kind, Op::kFalse, at_, length, text_.substr(at_, length)};
  at_ += length;
  return token;
}

Token Lexer::connective(Op op, std::size_t length) {
  Token token = simple(TokenKind::kConnective, length);
  token.op = op;
  return token;
}

Token Lexer::next() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  if (at_ == text_.size()) return Token{TokenKind::kEnd, Op::kFalse, at_, 0, {}};
  const char c = text_[at_];
  if (is_name_character(c)) return word();
  if (c == '"') return quoted();
  return symbol();
}

Token Lexer::word() {
  std::size_t end = at_ + 1;
  if (authors_form_) {
    if (text_[at_] == 'v') return connective(Op::kOr, 1);
    while (end < text_.size() && is_digit(text_[end])) ++end;
    return simple(TokenKind::kName, end - at_);
  }
  while (end < text_.size() && is_name_character(text_[end])) ++end;
  const std::string_view word = text_.substr(at_, end - at_);
  switch (word.size()) {
    case 1:
      if (word == "T") return simple(TokenKind::kTrue, 1);
      if (word == "F") return simple(TokenKind::kFalse, 1);
      break;
    case 2:
      if (equals_ignoring_case(word, "or")) return connective(Op::kOr, 2);
      break;
    case 3:
      if (equals_ignoring_case(word, "and")) return connective(Op::kAnd, 3);
      if (equals_ignoring_case(word, "not")) return simple(TokenKind::kNot, 3);
      if (equals_ignoring_case(word, "xor")) return connective(Op::kXor, 3);
      break;
    case 4:
      if (equals_ignoring_case(word, "true")) return simple(TokenKind::kTrue, 4);
      break;
    case 5:
      if (equals_ignoring_case(word, "false")) return simple(TokenKind::kFalse, 5);
      break;
    default:
      break;
  }
  return simple(TokenKind::kName, word.size());
}

Token Lexer::quoted() {
  // A quote within the name is doubled, as in CSV, so a backslash is an ordinary character.
  for (std::size_t end = at_ + 1; end < text_.size(); ++end) {
    if (text_[end] == '\n') break;
    if (text_[end] != '"') continue;
    if (end + 1 < text_.size() && text_[end + 1] == '"') {
      ++end;
      continue;
    }
    const std::size_t start = at_;
    Token token = simple(TokenKind::kQuotedName, end + 1 - at_);
    token.text = text_.substr(start + 1, end - start - 1);
    if (token.text.empty()) fail(start, "a quoted name must not be empty");
    return token;
  }
  fail(at_, "unterminated quoted name: expected '\"' on the same line");
}

Token Lexer::symbol() {
  const std::string_view rest = text_.substr(at_);
  const auto doubled = [&](char c) -> std::size_t { return rest.size() > 1 && rest[1] == c ? 2 : 1; };
  switch (rest[0]) {
    case '!':
    case '~':
      return simple(TokenKind::kNot, 1);
    case '&':
      return connective(Op::kAnd, doubled('&'));
    case '^':
      return connective(Op::kAnd, 1);
    case '|':
      return connective(Op::kOr, doubled('|'));
    case '(':
      return simple(TokenKind::kOpen, 1);
    case ')':
      return simple(TokenKind::kClose, 1);
    case '=':
      return simple(TokenKind::kEquals, 1);
    case '-':
      if (rest.starts_with("->")) return connective(Op::kImplies, 2);
      fail(at_, "expected '->' here");
    case '<':
      if (rest.starts_with("<->")) return connective(Op::kIff, 3);
      fail(at_, "expected '<->' here");
    default:
      break;
  }
  for (const UnicodeSymbol& s : kUnicodeSymbols) {
    if (!rest.starts_with(s.text)) continue;
    Token token = simple(s.kind, s.text.size());
    token.op = s.op;
    return token;
  }
  const std::size_t length = utf8_length(rest);
  if (length == 0) fail(at_, fmt::format("byte 0x{:02X} is not valid UTF-8", static_cast<unsigned char>(rest[0])));
  if (printable(rest, 1) != rest.substr(0, length)) {
    fail(at_, fmt::format("unexpected control character 0x{:02X}", static_cast<unsigned char>(rest[length - 1])));
  }
  const std::string_view hint = length > 1 ? "; put names with non-ASCII characters in double quotes" : "";
  fail(at_, fmt::format("unexpected character '{}'{}", rest.substr(0, length), hint));
}

void Lexer::fail(std::size_t offset, std::string_view message) const {
  const std::string_view before = text_.substr(0, offset);
  std::size_t line = 1;
  for (const char c : before) line += c == '\n' ? 1 : 0;
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  std::size_t line_end = std::min(text_.find('\n', offset), text_.size());
  if (line_end > offset && text_[line_end - 1] == '\r') --line_end;
  Place place;
  place.line = line;
  place.column = count_characters(text_.substr(line_start, offset - line_start)) + 1;
  throw InputError(std::string(message), place, std::string(text_.substr(line_start, line_end - line_start)));
}

}  // namespace linn
