// Which items may be recommended or ranked, from files with one item per line.
#pragma once

#include <cstddef>
#include <string>

#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/protocol/item_choice.h"

namespace linn::app {

struct ItemFiles {
  std::string exclude;  // empty: no such file
  std::string only;
  UnknownItems unknown = UnknownItems::kRefuse;  // in `only`

  bool empty() const { return exclude.empty() && only.empty(); }
};

struct ChosenItems {
  ItemChoice choice;
  std::size_t skipped = 0;  // lines of the files with items that the model does not know
};

// Items are named by identifier or title. An unknown one to be excluded is skipped: it is not recommended anyway.
// Throws InputError with file and line for others.
ChosenItems read_item_files(const ItemFiles& files, const Catalogue& catalogue);

}  // namespace linn::app
