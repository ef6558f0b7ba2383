// Numbers as they stand in tables of ratings.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>

namespace linn {

// A finite number that takes up the whole text.
std::optional<double> parse_number(std::string_view text);

// A point in time. Sources count seconds or whatever they like, and some have parts of them; the order is kept exactly
// for whole numbers, and as far as a double goes for others.
struct Moment {
  std::int64_t whole = 0;
  std::uint32_t part = 0;  // in units of 2^-32

  friend auto operator<=>(const Moment&, const Moment&) = default;
};

std::optional<Moment> moment_of(double value);
std::optional<Moment> parse_moment(std::string_view text);

}  // namespace linn
