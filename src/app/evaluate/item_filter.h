// Which items may be recommended, from files with one item per line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/protocol/top_items.h"

namespace linn::app {

struct ItemFilterFiles {
  std::string exclude;  // empty: no such file
  std::string only;
};

struct ItemFilter {
  std::vector<ItemId> exclude;
  std::optional<std::vector<ItemId>> only;  // absent: all items

  // The filter for recommendations; valid as long as this object.
  TopItemsOptions top(std::size_t count) const { return {count, false, exclude, only ? &*only : nullptr}; }

  bool empty() const { return exclude.empty() && !only; }
  // Whether each item of a catalogue of this size may be chosen.
  std::vector<bool> mask(std::size_t items) const;
};

// Items are named by identifier or title. An unknown one to be excluded is ignored: it is not recommended anyway.
// Throws InputError with file and line for others.
ItemFilter read_item_filter(const ItemFilterFiles& files, const ItemFinder& finder, UnknownItems unknown);

}  // namespace linn::app
