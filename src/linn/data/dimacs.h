// DIMACS CNF files, the format of SAT solvers.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "linn/logic/expression.h"

namespace linn {

// True if the text looks like DIMACS CNF: after comment lines (`c ...`) comes `p cnf VARIABLES CLAUSES`.
bool is_dimacs(std::string_view text);

// The clauses of a DIMACS text, each a disjunction over variables named by their numbers. Throws InputError
// with line and column. `file` only names the source in errors.
std::vector<Expr> parse_dimacs(ExpressionPool& pool, std::string_view text, std::string_view file = {});

}  // namespace linn
