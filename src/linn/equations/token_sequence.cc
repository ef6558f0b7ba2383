#include "linn/equations/token_sequence.h"

#include <algorithm>

namespace linn {

void TokenSequences::add(const NormalForm& form) {
  const std::size_t begin = tokens.size();
  const auto mark = [&](Mark m) { tokens.push_back(static_cast<std::uint32_t>(m)); };
  const bool dnf = form.form == Form::kDnf;
  bool empty_clause = false;
  for (std::size_t i = 0; i < form.clauses(); ++i) empty_clause = empty_clause || form.clause(i).empty();
  if (form.clauses() == 0 || empty_clause) {
    // Without clauses the expression is the neutral element of the outer connective; an empty clause decides it.
    mark(empty_clause == dnf ? Mark::kTrue : Mark::kFalse);
  } else {
    for (std::size_t i = 0; i < form.clauses(); ++i) {
      const auto clause = form.clause(i);
      const bool parentheses = !dnf && clause.size() > 1 && form.clauses() > 1;
      if (i > 0) mark(dnf ? Mark::kOr : Mark::kAnd);
      if (parentheses) mark(Mark::kOpening);
      for (std::size_t j = 0; j < clause.size(); ++j) {
        if (j > 0) mark(dnf ? Mark::kAnd : Mark::kOr);
        if (clause[j].negated()) mark(Mark::kNot);
        tokens.push_back(kMarks + clause[j].variable());
      }
      if (parentheses) mark(Mark::kClosing);
    }
  }
  lengths.push_back(static_cast<std::uint32_t>(tokens.size() - begin));
}

}  // namespace linn
