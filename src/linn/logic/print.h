// Prints expressions.
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

// Text that parses to the same expression. kAuthors throws InputError for what that notation cannot express.
std::string to_string(const ExpressionPool& pool, Expr root, Notation notation = Notation::kAscii);
std::string to_string(const ExpressionPool& pool, const NormalForm& normal_form, Notation notation = Notation::kAscii);

// The name as written in an expression: in double quotes if it would not be read as a name otherwise.
std::string quote_name(std::string_view name);

}  // namespace linn
