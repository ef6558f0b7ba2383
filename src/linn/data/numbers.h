// Numbers in data files and in the recipes of generators.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace linn {

// Parses a finite number that takes up the whole text.
std::optional<double> parse_number(std::string_view text);

// A timestamp. Sources count seconds or other units, sometimes with fractions; the order is exact for whole numbers,
// and within the precision of a double for others.
struct Moment {
  std::int64_t whole = 0;
  std::uint32_t part = 0;  // in units of 2^-32

  friend auto operator<=>(const Moment&, const Moment&) = default;
};

std::optional<Moment> moment_of(double value);
std::optional<Moment> parse_moment(std::string_view text);

// Throws InputError naming the setting unless the share is in [0, 1].
void check_share(std::string_view setting, double share);

}  // namespace linn
