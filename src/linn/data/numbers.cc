#include "linn/data/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <system_error>

#include "linn/base/error.h"

namespace linn {

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

void check_share(std::string_view setting, double share) {
  if (share >= 0.0 && share <= 1.0) return;
  throw InputError(fmt::format("{}: expected a number between 0 and 1, found {}", setting, share));
}

}  // namespace linn
