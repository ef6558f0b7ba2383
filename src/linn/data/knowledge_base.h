// Knowledge bases: text files of equations.
//
//   # what is known about today
//   rain -> wet = T
//   "Star Wars" & umbrella = 0.25   # a number says how sure
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "linn/data/equations.h"
#include "linn/logic/expression.h"

namespace linn {

// Parses one `EXPR = VALUE` per line; # starts a comment except inside double quotes. Throws InputError with line and
// column; `file` is used in error messages only.
EquationList parse_knowledge_base(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);

// Parses one expression per line; an equation is accepted, and its value is ignored. Comments as above.
std::vector<Expr> parse_expression_list(std::string_view text, const std::filesystem::path& file, ExpressionPool& pool);

}  // namespace linn
