// The ranges from which a search draws settings.
//
//   laws=0.01..1:log    a number in this range, uniform on a logarithmic scale
//   dropout=0..0.8      a number in this range
//   d=32,64,128         one of these values
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/random.h"

namespace linn::app {

class SearchRange {
 public:
  // Throws InputError if the text is not a range.
  static SearchRange parse(std::string_view text);

  const std::string& key() const { return key_; }
  // Restricts a numeric range to whole numbers.
  void make_whole() { whole_ = true; }
  // A random value, as text.
  std::string draw(Random& random) const;

 private:
  std::string key_;
  std::vector<std::string> choices_;  // empty: a numeric range
  double low_ = 0.0;
  double high_ = 0.0;
  bool logarithmic_ = false;
  bool whole_ = false;
};

// KEY=VALUE for each range. Trial n of a seed does not depend on the other trials.
std::vector<std::string> draw_settings(const std::vector<SearchRange>& ranges, std::uint64_t seed, std::size_t trial);

}  // namespace linn::app
