#include "linn/base/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>

#include "linn/base/error.h"
#include "linn/base/utf8.h"

namespace linn {
namespace {

// Levenshtein distance, one row at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

template <class Number>
bool parse_all(std::string_view text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  constexpr std::size_t kLongest = 100;  // what is much longer than every name resembles none
  if (word.size() > kLongest) return best;
  // At least one character must match.
  std::size_t best_distance = std::min(word.size(), std::max<std::size_t>(2, word.size() / 3) + 1);
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

namespace options_detail {
namespace {

constexpr std::size_t kShown = 100;  // characters of a wrong value in a message

}  // namespace

double parse_number(std::string_view option, std::string_view text, double least, double most) {
  double value = 0.0;
  // Phrased so that NaN fails too.
  if (!parse_all(text, value) || !(value >= least && value <= most)) {
    throw InputError(
        fmt::format("{} must be a number from {} to {}, not '{}'", option, least, most, printable(text, kShown)));
  }
  return value;
}

std::uint64_t parse_integer(std::string_view option, std::string_view text, std::uint64_t least, std::uint64_t most) {
  std::uint64_t value = 0;
  if (!parse_all(text, value) || value < least || value > most) {
    throw InputError(
        fmt::format("{} must be a whole number from {} to {}, not '{}'", option, least, most, printable(text, kShown)));
  }
  return value;
}

bool parse_flag(std::string_view option, std::string_view text) {
  if (text == "true" || text == "1" || text == "on" || text == "yes") return true;
  if (text == "false" || text == "0" || text == "off" || text == "no") return false;
  throw InputError(fmt::format("{} must be true or false, not '{}'", option, printable(text, kShown)));
}

void refuse_choice(std::string_view option, std::string_view text, const std::vector<std::string>& words) {
  const std::string near = nearest_word(text, words);
  throw InputError(fmt::format("{} must be one of {}, not '{}'{}", option, fmt::join(words, ", "),
                               printable(text, kShown), near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
}

void refuse_name(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = nearest_word(name, known);
  throw InputError(fmt::format("unknown option '{}'{}", printable(name, kShown),
                               near.empty() ? "" : fmt::format(", did you mean '{}'?", near)));
}

std::string number_text(double value) { return fmt::format("{}", value); }
std::string number_text(float value) { return fmt::format("{}", value); }

}  // namespace options_detail
}  // namespace linn
