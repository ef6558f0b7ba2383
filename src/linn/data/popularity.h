// Items by popularity: a few are known to everybody, most to hardly anybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"

namespace linn {

// Draws ranks from 0 (the most popular) with weights 1 / (rank + offset), the law of Zipf and Mandelbrot with exponent
// one. The offset is a two-hundredth of the catalogue, so that the shape is the same for all sizes, and the favourite
// of a large one is not everybody's. Weights are whole numbers, so that all platforms draw the same.
class Popularity {
 public:
  explicit Popularity(std::size_t items);

  std::size_t items() const { return cumulative_.size(); }
  std::size_t draw(Random& random) const;

 private:
  std::vector<std::uint64_t> cumulative_;  // of the weights up to and with each rank
};

}  // namespace linn
