#include "linn/base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "linn/base/utf8.h"

namespace linn {
namespace {

// Formats "file:line:column: message", omitting unknown parts.
std::string with_place(const std::string& message, const Place& place) {
  if (!place.file.empty()) {
    if (place.line == 0) return fmt::format("{}: {}", place.file, message);
    if (place.column == 0) return fmt::format("{}:{}: {}", place.file, place.line, message);
    return fmt::format("{}:{}:{}: {}", place.file, place.line, place.column, message);
  }
  if (place.line > 1 && place.column == 0) return fmt::format("line {}: {}", place.line, message);
  if (place.line > 1) return fmt::format("line {}, column {}: {}", place.line, place.column, message);
  if (place.column != 0) return fmt::format("column {}: {}", place.column, message);
  return message;
}

}  // namespace

InputError::InputError(std::string message) : InputError(std::move(message), Place{}) {}

InputError::InputError(std::string message, Place place, std::string source_line)
    : std::runtime_error(with_place(message, place)),
      message_(std::move(message)),
      place_(std::move(place)),
      source_line_(std::move(source_line)) {}

InputError InputError::in_file(std::string_view file, std::size_t line) const {
  Place place = place_;
  place.file = file;
  place.line = line;
  return InputError(message_, place, source_line_);
}

InputError InputError::with_message(std::string message) const {
  return InputError(std::move(message), place_, source_line_);
}

std::string InputError::excerpt() const {
  if (source_line_.empty() || place_.column == 0) return {};

  // Shows a window of characters around the column, so that a line of a megabyte stays readable.
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kAfter = 40;
  const std::size_t target = place_.column - 1;
  const std::size_t first = target > kBefore ? target - kBefore : 0;
  const std::size_t width = target - first + kAfter;

  std::string_view line = source_line_;
  for (std::size_t i = 0; i < first && !line.empty(); ++i) {
    line.remove_prefix(std::max<std::size_t>(utf8_length(line), 1));
  }
  const std::string_view before = first > 0 ? "..." : "";
  const std::string_view after = count_characters(line) > width ? "..." : "";
  const std::string padding(before.size() + target - first, ' ');
  return fmt::format("  {}{}{}\n  {}^\n", before, printable(line, width), after, padding);
}

}  // namespace linn
