// Item popularity: a few items are known to almost everybody, most to hardly anybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"

namespace linn {

// Draws ranks from 0 (the most popular) with weights 1 / (rank + offset), a Zipf-Mandelbrot law with exponent 1. The
// offset is 1/200 of the catalogue, so that the shape does not depend on the size, and the top item of a large
// catalogue does not dominate. Weights are integers, so that all platforms draw the same.
class Popularity {
 public:
  explicit Popularity(std::size_t items);

  std::size_t items() const { return cumulative_.size(); }
  std::size_t draw(Random& random) const;

 private:
  std::vector<std::uint64_t> cumulative_;  // sums of the weights up to and including each rank
};

}  // namespace linn
