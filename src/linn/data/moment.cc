#include "linn/data/moment.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <system_error>

#include "linn/data/numbers.h"

namespace linn {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr std::int64_t kSecondsPerDay = 86'400;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Takes the parts of a text from its beginning; whatever is not there makes it fail for good.
class DateText {
 public:
  explicit DateText(std::string_view text) : rest_(text) {}

  bool failed() const { return failed_; }
  bool at_end() const { return rest_.empty(); }

  // Takes one of the characters, if it is next.
  bool take(std::string_view characters) {
    if (rest_.empty() || characters.find(rest_[0]) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void need(std::string_view characters) { failed_ = !take(characters) || failed_; }

  // A number of exactly so many digits, from 0 to `most`.
  int number(std::size_t digits, int most) {
    if (rest_.size() < digits || !std::all_of(rest_.begin(), rest_.begin() + static_cast<int>(digits), is_digit)) {
      failed_ = true;
      return 0;
    }
    int value = 0;
    std::from_chars(rest_.data(), rest_.data() + digits, value);
    rest_.remove_prefix(digits);
    failed_ = failed_ || value > most;
    return value;
  }

  // The digits after a decimal sign, in units of 2^-32; those after the ninth do not count.
  std::uint32_t fraction() {
    if (rest_.empty() || !is_digit(rest_[0])) failed_ = true;
    std::uint64_t billionths = 0;
    std::uint64_t unit = 1'000'000'000;
    for (; !rest_.empty() && is_digit(rest_[0]); rest_.remove_prefix(1)) {
      unit /= 10;
      billionths += unit * static_cast<std::uint64_t>(rest_[0] - '0');
    }
    return static_cast<std::uint32_t>((billionths << 32U) / 1'000'000'000);
  }

 private:
  std::string_view rest_;
  bool failed_ = false;
};

// The seconds by which the local time is ahead of UTC.
std::int64_t take_offset(DateText& text) {
  if (text.at_end() || text.take("Zz")) return 0;
  text.take(" ");
  const bool behind = text.take("-");
  if (!behind) text.need("+");
  std::int64_t seconds = std::int64_t{3600} * text.number(2, 23);
  if (!text.at_end()) {
    text.take(":");
    seconds += std::int64_t{60} * text.number(2, 59);
  }
  return behind ? -seconds : seconds;
}

std::optional<Moment> parse_date(std::string_view whole) {
  DateText text(whole);
  const int year = text.number(4, 9999);
  text.need("-");
  const int month = text.number(2, 12);
  text.need("-");
  const int day = text.number(2, 31);
  if (text.failed()) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  Moment moment{sys_days(date).time_since_epoch().count() * kSecondsPerDay, 0};
  if (text.at_end()) return moment;

  text.need("Tt ");
  moment.whole += std::int64_t{3600} * text.number(2, 23);
  text.need(":");
  moment.whole += std::int64_t{60} * text.number(2, 59);
  if (text.take(":")) {
    moment.whole += text.number(2, 60);  // 60: a leap second
    if (text.take(".,")) moment.part = text.fraction();
  }
  moment.whole -= take_offset(text);
  if (text.failed() || !text.at_end()) return std::nullopt;
  return moment;
}

}  // namespace

std::optional<Moment> moment_of(double value) {
  constexpr double kEnd = 0x1p63;
  const double whole = std::floor(value);
  if (!(whole >= -kEnd && whole < kEnd)) return std::nullopt;
  return Moment{static_cast<std::int64_t>(whole), static_cast<std::uint32_t>((value - whole) * 0x1p32)};
}

std::optional<Moment> parse_moment(std::string_view text) {
  Moment moment;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), moment.whole);
  if (error == std::errc() && end == text.data() + text.size()) return moment;
  if (const std::optional<double> value = parse_number(text)) return moment_of(*value);
  return parse_date(text);
}

std::string date_text(std::int64_t seconds) {
  constexpr std::int64_t kFirst = -62'167'219'200;  // 0000-01-01
  constexpr std::int64_t kLast = 253'402'300'799;   // 9999-12-31T23:59:59
  if (seconds < kFirst || seconds > kLast) return {};
  std::int64_t in_day = seconds % kSecondsPerDay;
  if (in_day < 0) in_day += kSecondsPerDay;
  const std::chrono::year_month_day date(sys_days(days((seconds - in_day) / kSecondsPerDay)));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", int(date.year()), unsigned(date.month()),
                     unsigned(date.day()), in_day / 3600, in_day / 60 % 60, in_day % 60);
}

}  // namespace linn
