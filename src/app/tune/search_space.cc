#include "app/tune/search_space.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "linn/base/error.h"
#include "linn/base/split.h"

namespace linn::app {
namespace {

[[noreturn]] void refuse(std::string_view text) {
  throw InputError(fmt::format("expected KEY=LOW..HIGH, KEY=LOW..HIGH:log or KEY=VALUE,VALUE,..., not '{}'", text));
}

double number(std::string_view digits, std::string_view text) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) refuse(text);
  return value;
}

}  // namespace

SearchRange SearchRange::parse(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0 || equals + 1 == text.size()) refuse(text);
  SearchRange range;
  range.key_ = text.substr(0, equals);
  std::string_view values = text.substr(equals + 1);
  if (const std::size_t dots = values.find(".."); dots != std::string_view::npos) {
    if (values.ends_with(":log")) {
      range.logarithmic_ = true;
      values.remove_suffix(4);
    }
    range.low_ = number(values.substr(0, dots), text);
    range.high_ = number(values.substr(dots + 2), text);
    if (!(range.low_ < range.high_)) throw InputError(fmt::format("the range '{}' must have LOW < HIGH", text));
    if (range.logarithmic_ && range.low_ <= 0.0) {
      throw InputError(fmt::format("the logarithmic range '{}' must have LOW > 0", text));
    }
    return range;
  }
  for (const std::string_view choice : split(values, ',')) {
    if (choice.empty()) refuse(text);
    range.choices_.emplace_back(choice);
  }
  return range;
}

std::string SearchRange::draw(Random& random) const {
  if (!choices_.empty()) return choices_[random.below(choices_.size())];
  const double share = random.uniform();
  const double value = logarithmic_ ? low_ * std::pow(high_ / low_, share) : low_ + share * (high_ - low_);
  return whole_ ? fmt::format("{:.0f}", std::round(value)) : fmt::format("{:.4g}", value);
}

std::vector<std::string> draw_settings(const std::vector<SearchRange>& ranges, std::uint64_t seed, std::size_t trial) {
  Random random(seed, trial);
  std::vector<std::string> settings;
  for (const SearchRange& range : ranges) settings.push_back(fmt::format("{}={}", range.key(), range.draw(random)));
  return settings;
}

}  // namespace linn::app
