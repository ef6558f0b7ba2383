#include "linn/data/popularity.h"

#include <algorithm>
#include <cassert>

namespace linn {

Popularity::Popularity(std::size_t items) {
  assert(items > 0);
  constexpr std::uint64_t kUnit = std::uint64_t{1} << 32U;
  const std::size_t offset = std::clamp<std::size_t>(items / 100, 1, 10);
  cumulative_.reserve(items);
  std::uint64_t sum = 0;
  for (std::size_t rank = 0; rank < items; ++rank) {
    sum += std::max<std::uint64_t>(kUnit / (rank + offset), 1);
    cumulative_.push_back(sum);
  }
}

std::size_t Popularity::draw_top(Random& random, std::size_t most) const {
  const auto end = cumulative_.begin() + static_cast<std::ptrdiff_t>(most);
  const std::uint64_t point = random.below(*(end - 1));
  return static_cast<std::size_t>(std::upper_bound(cumulative_.begin(), end, point) - cumulative_.begin());
}

std::size_t Popularity::top_with_share(double share) const {
  const auto wanted = static_cast<std::uint64_t>(share * static_cast<double>(cumulative_.back()));
  const auto found = std::lower_bound(cumulative_.begin(), cumulative_.end(), wanted);
  return std::min(static_cast<std::size_t>(found - cumulative_.begin()) + 1, items());
}

}  // namespace linn
