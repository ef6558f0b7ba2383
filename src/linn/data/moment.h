// Times in data files: numbers, or dates as in ISO 8601.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace linn {

// A timestamp. Sources count seconds or other units, sometimes with fractions; the order is exact for whole numbers,
// and within the precision of a double for others.
struct Moment {
  std::int64_t whole = 0;
  std::uint32_t part = 0;  // in units of 2^-32

  friend auto operator<=>(const Moment&, const Moment&) = default;
};

std::optional<Moment> moment_of(double value);

// Reads a number as it is, or a date as seconds since 1970: YYYY-MM-DD, optionally followed by T or a space and
// hh:mm[:ss[.fraction]], and that by Z or an offset +hh:mm, +hhmm or +hh; a time without either is in UTC.
std::optional<Moment> parse_moment(std::string_view text);

// What parse_moment() reads, for messages.
inline constexpr std::string_view kMomentForms = "a number or a date such as 2024-02-14 or 2024-02-14T10:01:00Z";

// The date YYYY-MM-DDThh:mm:ssZ of seconds since 1970; empty outside the years 0 to 9999.
std::string date_text(std::int64_t seconds);

}  // namespace linn
