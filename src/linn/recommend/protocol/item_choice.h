// Which items may be recommended or ranked: all of a catalogue or some, without those to leave out.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

class ItemChoice {
 public:
  // Every item.
  ItemChoice() = default;
  // Of a catalogue of this size: the items of `only` (absent: all) that `exclude` does not have. Both may list an item
  // twice; an empty `only` leaves nothing.
  ItemChoice(std::size_t items, std::optional<std::span<const ItemId>> only, std::span<const ItemId> exclude);

  bool allows(ItemId item) const { return !allowed_ || (*allowed_)[item]; }
  // Whether every item may be chosen.
  bool is_all() const { return !allowed_; }
  // Whether the items to choose from were listed, which are few as a rule: worth to be scored alone.
  bool is_list() const { return is_list_; }

 private:
  std::optional<std::vector<bool>> allowed_;
  bool is_list_ = false;
};

}  // namespace linn
