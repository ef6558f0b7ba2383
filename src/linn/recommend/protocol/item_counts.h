// How often every item was met in training.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/recommend/protocol/histories.h"

namespace linn {

struct ItemCounts {
  std::vector<std::uint32_t> likes;  // by item: users who liked it
  std::vector<std::uint32_t> users;  // by item: users who liked or disliked it
  std::uint32_t all_users = 0;       // users with any training row

  friend bool operator==(const ItemCounts&, const ItemCounts&) = default;
};

// Of the training rows alone.
ItemCounts count_items(const Histories& histories);

// The log-odds that a user likes the item, log of (likes + 1/2) / (others + 1/2): what can be said to somebody of whom
// nothing is known.
float newcomer_score(const ItemCounts& counts, ItemId item);

}  // namespace linn
