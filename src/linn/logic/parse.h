// From text to expressions and equations. docs/expressions.md describes the language.
#pragma once

#include <optional>
#include <string_view>

#include "linn/logic/expression.h"

namespace linn {

// Parses one expression. The text may span several lines. Throws InputError with the line, the column and
// what was expected there.
Expr parse_expression(ExpressionPool& pool, std::string_view text);

struct Equation {
  Expr expression;
  float label = 1.0F;  // how true the expression is, in [0, 1]
};

// Parses `EXPR = VALUE`, VALUE being T, F, 1, 0, true, false or a number between 0 and 1.
Equation parse_equation(ExpressionPool& pool, std::string_view text);

// Parses an expression that may be followed by `= VALUE`.
struct MaybeEquation {
  Expr expression;
  std::optional<float> label;
};
MaybeEquation parse_maybe_equation(ExpressionPool& pool, std::string_view text);

// The number of a label as data files write it: T, F, true, false or a number in [0, 1]; nothing if it is
// none of these.
std::optional<float> parse_label(std::string_view text);

// True if the text is in the form of the authors' data (`~593^924v~29`), where `v` means "or": nothing but
// digits, ~ ^ v ( ) and spaces, and every v after a number or a closing parenthesis.
bool is_authors_form(std::string_view text);

}  // namespace linn
