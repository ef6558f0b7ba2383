// Which of a user's interactions are held out, and data sets made of whole histories.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/data/interactions.h"

namespace linn {

// Where the rows of a history for validation and those for testing begin; the former end where the latter begin.
struct SplitPoints {
  std::size_t validation = 0;
  std::size_t test = 0;

  friend bool operator==(const SplitPoints&, const SplitPoints&) = default;
};

// The first five likes stay in training. Of the rest the last one is for testing, the one before it for validation; if
// there is only one, it is for testing. What follows a held-out like, up to the next one, stays with it.
SplitPoints split_history(std::span<const Interaction> history);

// Splits the history of one user, oldest first, and appends the three pieces.
void append_history(std::span<const Interaction> history, InteractionData& data);

// Numbers the items anew, in the order in which they are first met in train, validation and test. Items without
// interactions come last, in their old order, or go. Returns the new number by the old one (kNoItem for one that went).
enum class UnmetItems : std::uint8_t { kKeep, kDrop };
std::vector<ItemId> renumber_items(InteractionData& data, UnmetItems unmet);

}  // namespace linn
