// Items by popularity: a few are known to everybody, most to hardly anybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"

namespace linn {

// Draws ranks from 0 (the most popular) with weights 1 / (rank + offset), the law of Zipf and Mandelbrot with exponent
// one. The offset grows with the catalogue from 1 to 10, so that the favourite of a large one is not everybody's.
// Weights are whole numbers, so that all platforms draw the same.
class Popularity {
 public:
  explicit Popularity(std::size_t items);

  std::size_t items() const { return cumulative_.size(); }
  std::size_t draw(Random& random) const { return draw_top(random, items()); }
  // Only from the most popular ones.
  std::size_t draw_top(Random& random, std::size_t most) const;
  // How many of the most popular items make up the share of all draws.
  std::size_t top_with_share(double share) const;

 private:
  std::vector<std::uint64_t> cumulative_;  // of the weights up to and with each rank
};

}  // namespace linn
