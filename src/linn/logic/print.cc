#include "linn/logic/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "linn/base/error.h"
#include "linn/logic/lexer.h"

namespace linn {
namespace {

struct Symbols {
  std::array<std::string_view, 9> of_op;  // indexed by Op; connectives include the spaces around them
  bool every_parenthesis;                 // around every nested chain, even where precedence makes it redundant
};
constexpr Symbols kAsciiSymbols = {{"F", "T", "", "!", " & ", " xor ", " | ", " -> ", " <-> "}, true};
constexpr Symbols kUnicodeSymbols = {{"⊥", "⊤", "", "¬", " ∧ ", " ⊕ ", " ∨ ", " → ", " ↔ "}, true};
constexpr Symbols kAuthorsSymbols = {{"", "", "", "~", "^", "", "v", "", ""}, false};

const Symbols& symbols_of(Notation notation) {
  switch (notation) {
    case Notation::kUnicode:
      return kUnicodeSymbols;
    case Notation::kAuthors:
      return kAuthorsSymbols;
    case Notation::kAscii:
      break;
  }
  return kAsciiSymbols;
}

bool is_number(std::string_view name) {
  return std::ranges::all_of(name, [](char c) { return c >= '0' && c <= '9'; });
}

void append_name(std::string& out, std::string_view name, Notation notation) {
  if (is_number(name)) {
    out += name;
  } else if (notation == Notation::kAuthors) {
    throw InputError(fmt::format("the authors' notation allows only numbers as variables, not {}", quote_name(name)));
  } else {
    out += quote_name(name);
  }
}

std::string_view symbol(const Symbols& symbols, Op op) {
  const std::string_view text = symbols.of_op[static_cast<std::size_t>(op)];
  if (text.empty()) throw InputError("the authors' notation supports only variables, not, and, or");
  return text;
}

// A shared subexpression is printed once per use, so the text can be much larger than the graph.
void check_size(const std::string& out) {
  constexpr std::size_t kMaxSize = std::size_t{1} << 28U;
  if (out.size() > kMaxSize) throw InputError(fmt::format("the expression is longer than {} bytes as text", kMaxSize));
}

}  // namespace

std::string quote_name(std::string_view name) {
  Lexer lexer(name);
  // A bare name must be a single token that covers all of it, and must not contain what the authors' notation reads as
  // "or", as in 1v2.
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  });
  if (plain) {
    const Token token = lexer.next();
    if (token.kind == TokenKind::kName && token.length == name.size()) return std::string(name);
  }
  std::string quoted = "\"";
  for (const char c : name) {
    quoted += c;
    if (c == '"') quoted += c;
  }
  return quoted + '"';
}

std::string to_string(const ExpressionPool& pool, Expr root, Notation notation) {
  const Symbols& symbols = symbols_of(notation);
  struct Open {
    Expr e;
    std::size_t next;  // the next operand to print
    bool parentheses;
  };
  std::string out;
  std::vector<Open> stack;

  const auto enter = [&](Expr e, Op parent) {
    const Op op = pool.op(e);
    if (op == Op::kVariable) {
      append_name(out, pool.variables().name(pool.variable_of(e)), notation);
    } else if (op == Op::kNot) {
      out += symbol(symbols, op);
      stack.push_back({e, 0, false});
    } else if (op < Op::kVariable) {
      out += symbol(symbols, op);
    } else {
      const bool within = parent >= Op::kNot;
      const bool needed = within && op >= parent;
      const bool parentheses = needed || (within && symbols.every_parenthesis);
      if (parentheses) out += '(';
      stack.push_back({e, 0, parentheses});
    }
  };

  enter(root, Op::kFalse);
  while (!stack.empty()) {
    Open& top = stack.back();
    const auto operands = pool.operands(top.e);
    const Op op = pool.op(top.e);
    if (top.next == operands.size()) {
      if (top.parentheses) out += ')';
      stack.pop_back();
      continue;
    }
    if (top.next > 0) out += symbol(symbols, op);
    enter(operands[top.next++], op);
    check_size(out);
  }
  return out;
}

std::string to_string(const ExpressionPool& pool, const NormalForm& normal_form, Notation notation) {
  const Symbols& symbols = symbols_of(notation);
  const bool dnf = normal_form.form == Form::kDnf;
  const Op inner = dnf ? Op::kAnd : Op::kOr;
  const Op outer = dnf ? Op::kOr : Op::kAnd;
  if (normal_form.clauses() == 0) return std::string(symbol(symbols, dnf ? Op::kFalse : Op::kTrue));

  std::string out;
  for (std::size_t i = 0; i < normal_form.clauses(); ++i) {
    if (i > 0) out += symbol(symbols, outer);
    const auto clause = normal_form.clause(i);
    if (clause.empty()) out += symbol(symbols, dnf ? Op::kTrue : Op::kFalse);
    const bool within = normal_form.clauses() > 1 && clause.size() > 1;
    const bool parentheses = within && (symbols.every_parenthesis || inner > outer);
    if (parentheses) out += '(';
    for (std::size_t j = 0; j < clause.size(); ++j) {
      if (j > 0) out += symbol(symbols, inner);
      if (clause[j].negated()) out += symbol(symbols, Op::kNot);
      append_name(out, pool.variables().name(clause[j].variable()), notation);
    }
    if (parentheses) out += ')';
    check_size(out);
  }
  return out;
}

}  // namespace linn
