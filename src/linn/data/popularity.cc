#include "linn/data/popularity.h"

#include <algorithm>
#include <cassert>

namespace linn {

Popularity::Popularity(std::size_t items) {
  assert(items > 0);
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 32U;
  const std::size_t offset = std::max<std::size_t>(items / 200, 1);
  cumulative_.reserve(items);
  std::uint64_t sum = 0;
  for (std::size_t rank = 0; rank < items; ++rank) {
    sum += std::max<std::uint64_t>(kUnit / (rank + offset), 1);
    cumulative_.push_back(sum);
  }
}

std::size_t Popularity::draw(Random& random) const {
  const std::uint64_t point = random.below(cumulative_.back());
  return static_cast<std::size_t>(std::upper_bound(cumulative_.begin(), cumulative_.end(), point) -
                                  cumulative_.begin());
}

}  // namespace linn
