// Parses arbitrary bytes as an expression or an equation: if that succeeds, printing and parsing again must give the
// same; otherwise the position of the error must be within the text.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "linn/base/error.h"
#include "linn/base/utf8.h"
#include "linn/logic/lexer.h"
#include "linn/logic/parse.h"
#include "linn/logic/print.h"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void check_error(const linn::InputError& error, std::string_view text) {
  const auto lines = static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
  const linn::Place& place = error.place();
  require(place.line >= 1 && place.line <= lines);

  std::string_view line = text;
  for (std::size_t i = 1; i < place.line; ++i) line.remove_prefix(line.find('\n') + 1);
  line = line.substr(0, line.find('\n'));
  require(place.column >= 1 && place.column <= linn::count_characters(line) + 1);

  require(!error.message().empty() && linn::is_valid_utf8(error.message()));
  require(std::string_view(error.what()).ends_with(error.message()));
  const std::string excerpt = error.excerpt();
  require(linn::is_valid_utf8(excerpt));
  require(excerpt.empty() || (excerpt.ends_with("^\n") && std::ranges::count(excerpt, '\n') == 2));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  linn::ExpressionPool pool;
  try {
    const linn::MaybeEquation parsed = linn::parse_maybe_equation(pool, text);
    if (parsed.label) require(*parsed.label >= 0.0F && *parsed.label <= 1.0F);
    for (const auto notation : {linn::Notation::kAscii, linn::Notation::kUnicode}) {
      require(linn::parse_expression(pool, to_string(pool, parsed.expression, notation)) == parsed.expression);
    }
    try {
      const std::string text_again = to_string(pool, parsed.expression, linn::Notation::kAuthors);
      require(linn::is_authors_form(text_again));
      require(linn::parse_expression(pool, text_again) == parsed.expression);
    } catch (const linn::InputError& error) {
      require(error.message().starts_with("the authors' notation"));
    }
  } catch (const linn::InputError& error) {
    check_error(error, text);
  }
  return 0;
}
