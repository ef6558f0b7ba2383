// The items that a user does not like, as numbers without gaps, so that one can be drawn in one go.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "linn/data/interactions.h"

namespace linn {

// Liked items l_0 < l_1 < ... leave l_k - k others below l_k. With these counts as `gaps`, the other item number r is
// r plus the number of counts that are not above r: a search instead of drawing until an item is not liked, which takes
// long for users who like nearly everything.
inline ItemId other_item(std::span<const ItemId> gaps, std::size_t r) {
  const auto above = std::upper_bound(gaps.begin(), gaps.end(), static_cast<ItemId>(r));
  return static_cast<ItemId>(r + static_cast<std::size_t>(above - gaps.begin()));
}

// Turns sorted different items into their gaps.
inline void to_gaps(std::span<ItemId> liked) {
  for (std::size_t k = 0; k < liked.size(); ++k) liked[k] -= static_cast<ItemId>(k);
}

}  // namespace linn
