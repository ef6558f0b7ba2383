// Parses histories written by hand: +50,-181,"Toy Story (1995)".
//
// Items are separated by commas, each with a sign: + (or none) for liked, - for disliked. An item is named by its
// identifier or by its title, if the title is unique. A name is put in double quotes if it contains a comma or a quote
// (doubled), or begins or ends with a space. If an item occurs twice, the first occurrence counts.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Finds items of a catalogue by identifier or title. The catalogue must outlive it.
class ItemFinder {
 public:
  explicit ItemFinder(const Catalogue& catalogue);

  // nullopt if there is no such item. Throws InputError if several items have this title.
  std::optional<ItemId> find(std::string_view name) const;

  // The error message for an unknown name, with the most similar identifier or title as a suggestion.
  std::string unknown(std::string_view name) const;

 private:
  const Catalogue& catalogue_;
  std::map<std::string_view, std::vector<ItemId>> by_title_;  // ordered: titles may be chosen to collide
};

enum class UnknownItems : std::uint8_t { kRefuse, kSkip };

struct ParsedHistory {
  std::vector<Event> events;         // oldest first
  std::vector<std::string> skipped;  // names of unknown items, printable
};

// The names in a history, without looking them up, and whether each is liked. Throws InputError with the column.
std::vector<std::pair<std::string, bool>> history_names(std::string_view text);

// Throws InputError with the column.
ParsedHistory parse_history(std::string_view text, const ItemFinder& items, UnknownItems unknown);

// A list of distinct items without signs, in the same notation. Throws InputError with the column.
std::vector<ItemId> parse_items(std::string_view text, const ItemFinder& items);

}  // namespace linn
