// DIMACS CNF files, the format of SAT solvers.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// Whether the text looks like DIMACS CNF: comment lines (`c ...`) followed by `p cnf VARIABLES CLAUSES`.
bool is_dimacs(std::string_view text, std::string_view file = {});

// Parses the clauses of a DIMACS text, each a disjunction of variables named by their numbers. Throws InputError with
// line and column; `file` is used in error messages only.
std::vector<Expr> parse_dimacs(ExpressionPool& pool, std::string_view text, std::string_view file = {});

}  // namespace linn
