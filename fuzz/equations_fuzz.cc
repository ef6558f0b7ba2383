// Equation files of every kind, and truth tables: for any bytes, the readers return equations with valid labels or
// throw an InputError whose position is within the text.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "linn/base/error.h"
#include "linn/data/equations.h"

namespace {

void check(const linn::InputError& error, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (error.place().line > lines) std::abort();
  if (error.place().column > text.size() + 1) std::abort();
  if (error.message().empty()) std::abort();
  static_cast<void>(error.excerpt());
}

template <class Read>
void attempt(std::string_view text, Read read) {
  linn::ExpressionPool pool;
  try {
    read(pool);
  } catch (const linn::InputError& error) {
    check(error, text);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const char* file : {"fuzz.tsv", "fuzz.txt"}) {
    attempt(text, [&](linn::ExpressionPool& pool) {
      const linn::EquationList equations = linn::parse_equation_text(text, file, pool);
      if (equations.labels.size() != equations.size()) std::abort();
      for (const float label : equations.labels) {
        if (!(label >= 0.0F && label <= 1.0F)) std::abort();
      }
      for (const linn::Expr e : equations.expressions) {
        if (e.index >= pool.size()) std::abort();
      }
    });
  }
  attempt(text, [&](linn::ExpressionPool& pool) {
    if (linn::parse_truth(text, "fuzz.csv", pool).size() != pool.variables().size()) std::abort();
  });
  return 0;
}
