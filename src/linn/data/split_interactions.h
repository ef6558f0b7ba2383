// Holds out interactions of each user, and builds data sets from whole histories.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/data/interactions.h"

namespace linn {

// Where the validation and the test rows of a history start; the validation rows end where the test rows start.
struct SplitPoints {
  std::size_t validation = 0;
  std::size_t test = 0;

  friend bool operator==(const SplitPoints&, const SplitPoints&) = default;
};

// The first five likes stay in training. Of the others, the last is for testing and the one before it for validation;
// if there is only one, it is for testing. What follows a held-out like, up to the next one, stays with it.
SplitPoints split_history(std::span<const Interaction> history);

// Splits the history of one user, oldest first, and appends the three parts.
void append_history(std::span<const Interaction> history, InteractionData& data);

// Renumbers the items in order of first occurrence in train, validation and test. Items without interactions come last,
// in their old order, or are dropped. Returns the new id by old id (kNoItem for a dropped item).
enum class UnusedItems : std::uint8_t { kKeep, kDrop };
std::vector<ItemId> renumber_items(InteractionData& data, UnusedItems unused);

}  // namespace linn
