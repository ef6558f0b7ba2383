#include "linn/recommend/protocol/item_choice.h"

namespace linn {

ItemChoice::ItemChoice(std::size_t items, std::optional<std::span<const ItemId>> only, std::span<const ItemId> exclude)
    : is_list_(only.has_value()) {
  if (!only && exclude.empty()) return;
  allowed_.emplace(items, !only);
  if (only) {
    for (const ItemId item : *only) (*allowed_)[item] = true;
  }
  for (const ItemId item : exclude) (*allowed_)[item] = false;
}

}  // namespace linn
