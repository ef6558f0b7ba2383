// Parses expressions and equations. docs/expressions.md describes the language.
#pragma once

#include <optional>
#include <string_view>

#include "linn/logic/expression.h"

namespace linn {

// Parses one expression, which may span several lines. Throws InputError with the line, the column and what was
// expected there.
Expr parse_expression(ExpressionPool& pool, std::string_view text);

struct Equation {
  Expr expression;
  float label = 1.0F;  // truth value, in [0, 1]
};

// Parses `EXPR = VALUE`, where VALUE is T, F, 1, 0, true, false or a number between 0 and 1.
Equation parse_equation(ExpressionPool& pool, std::string_view text);

// Parses an expression optionally followed by `= VALUE`.
struct MaybeEquation {
  Expr expression;
  std::optional<float> label;
};
MaybeEquation parse_maybe_equation(ExpressionPool& pool, std::string_view text);

// Parses a label as written in data files: T, F, true, false or a number in [0, 1]; returns nothing for anything else.
std::optional<float> parse_label(std::string_view text);

}  // namespace linn
