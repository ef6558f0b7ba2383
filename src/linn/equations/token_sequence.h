// Expressions as sequences of tokens, for models that read them as text.
//
// The tokens of a normal form are those of its text in the authors' notation, ~593^924v~29 being NOT 593 AND 924 OR NOT
// 29: no parentheses in a DNF, where AND binds tighter, and parentheses around the longer clauses of a CNF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/logic/normal_form.h"

namespace linn {

// Marks come first; the variable with number id is the token kMarks + id.
enum class Mark : std::uint32_t { kTrue, kFalse, kNot, kAnd, kOr, kOpening, kClosing };
inline constexpr std::uint32_t kMarks = 7;

// One after the other: sequence i has lengths[i] tokens, at least one.
struct TokenSequences {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> lengths;

  std::size_t size() const { return lengths.size(); }
  void clear() {
    tokens.clear();
    lengths.clear();
  }
  void add(const NormalForm& form);
};

}  // namespace linn
