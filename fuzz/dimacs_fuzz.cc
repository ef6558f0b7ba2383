// DIMACS texts: whatever parses must print and parse to the same clauses.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/error.h"
#include "linn/data/dimacs.h"

namespace {

std::string printed(const linn::ExpressionPool& pool, const std::vector<linn::Expr>& clauses) {
  // Variables are named by numbers of at most 20 digits, so this covers all of them.
  std::string text = "p cnf 18446744073709551615 " + std::to_string(clauses.size()) + "\n";
  const auto add = [&](linn::Expr literal) {
    if (pool.op(literal) == linn::Op::kNot) {
      text += '-';
      literal = pool.operands(literal)[0];
    }
    text += pool.variables().name(pool.variable_of(literal)) + ' ';
  };
  for (const linn::Expr clause : clauses) {
    if (pool.op(clause) == linn::Op::kOr) {
      for (const linn::Expr literal : pool.operands(clause)) add(literal);
    } else if (pool.op(clause) != linn::Op::kFalse) {
      add(clause);
    }
    text += "0\n";
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  linn::ExpressionPool pool;
  std::vector<linn::Expr> clauses;
  try {
    clauses = linn::parse_dimacs(pool, text, "fuzz.cnf");
  } catch (const linn::InputError& error) {
    static_cast<void>(error.excerpt());
    return 0;
  }
  if (!linn::is_dimacs(text)) std::abort();
  if (linn::parse_dimacs(pool, printed(pool, clauses)) != clauses) std::abort();
  return 0;
}
