#include "linn/train/replay.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace linn {

Replay::Replay(std::vector<std::uint32_t> earlier, std::vector<std::uint32_t> later, double share)
    : earlier_(std::move(earlier)),
      later_(std::move(later)),
      replayed_(static_cast<std::size_t>(std::lround(share * static_cast<double>(earlier_.size())))) {}

std::vector<std::uint32_t> Replay::draw(Random& random) {
  std::vector<std::uint32_t> rows = later_;
  if (replayed_ == 0) return rows;
  // From the same order each time: a resumed training draws the same. The first steps of a shuffle draw without
  // replacement.
  std::vector<std::uint32_t> order = earlier_;
  for (std::size_t i = 0; i < replayed_; ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
    rows.push_back(order[i]);
  }
  return rows;
}

}  // namespace linn
