// Which settings a search may choose, and from what.
//
//   laws=0.01..1:log    a number between, even on a logarithmic scale
//   dropout=0..0.8      a number between
//   d=32,64,128         one of these
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
  // Throws InputError saying what was expected.
  static SearchRange parse(std::string_view text);

  const std::string& key() const { return key_; }
  // Draws whole numbers only, for a setting that takes no others.
  void make_whole() { whole_ = true; }
  // A value as text.
  std::string draw(Random& random) const;

 private:
  std::string key_;
  std::vector<std::string> choices_;  // empty: numbers
  double low_ = 0.0;
  double high_ = 0.0;
  bool logarithmic_ = false;
  bool whole_ = false;
};

// KEY=VALUE for each range. Trial n of a seed is the same whatever the other trials.
std::vector<std::string> draw_settings(const std::vector<SearchRange>& ranges, std::uint64_t seed, std::size_t trial);

}  // namespace linn::app
