// From expressions to text.
#pragma once

#include <string>
#include <string_view>

#include "linn/logic/expression.h"
#include "linn/logic/normal_form.h"

namespace linn {

enum class Notation : std::uint8_t {
  kAscii,    // (rain & !umbrella) | sprinkler
  kUnicode,  // (rain ∧ ¬umbrella) ∨ sprinkler
  kAuthors,  // ~593^924v~29: And, Or, Not over numbered variables only
};

// Text that parses to the same expression again. kAuthors throws InputError for what that form cannot say.
std::string to_string(const ExpressionPool& pool, Expr root, Notation notation = Notation::kAscii);
std::string to_string(const ExpressionPool& pool, const NormalForm& normal_form, Notation notation = Notation::kAscii);

// The expression's graph for Graphviz's dot, shared nodes drawn once.
std::string to_graphviz(const ExpressionPool& pool, Expr root);

// The name as an expression must write it: in double quotes where it would not be read as a name otherwise.
std::string quote_name(std::string_view name);

}  // namespace linn
