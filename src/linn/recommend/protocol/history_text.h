// Histories as people write them: +50,-181,"Toy Story (1995)".
//
// Items are separated by commas, each with a sign: + (or none) for liked, - for disliked. An item is named by its
// identifier or by its title, if only one item has it; in double quotes where it holds a comma, a quote (doubled), or
// begins or ends with a space. Of an item that is named twice the first counts.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <unordered_map>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Finds the items of a catalogue by identifier or title. The catalogue must outlive it.
class ItemFinder {
 public:
  explicit ItemFinder(const Catalogue& catalogue);

  // None where nothing is called so. Throws InputError where several items have the title.
  std::optional<ItemId> find(std::string_view name) const;

  // What is said of a name that is not there: it and the nearest identifier or title.
  std::string unknown(std::string_view name) const;

 private:
  const Catalogue& catalogue_;
  std::unordered_map<std::string_view, std::vector<ItemId>> by_title_;
};

enum class UnknownItems : std::uint8_t { kRefuse, kSkip };

struct ParsedHistory {
  std::vector<Event> events;         // oldest first
  std::vector<std::string> skipped;  // names of items that are not known, fit for showing
};

// The names in a history with their signs, not looked up. Throws InputError with the column.
std::vector<std::pair<std::string, bool>> history_names(std::string_view text);

// Throws InputError with the column.
ParsedHistory parse_history(std::string_view text, const ItemFinder& items, UnknownItems unknown);

// A list of items without signs, written the same way.
std::vector<ItemId> parse_items(std::string_view text, const ItemFinder& items);

}  // namespace linn
