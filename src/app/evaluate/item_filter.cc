#include "app/evaluate/item_filter.h"

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

std::vector<ItemId> read_items(const std::string& file, const ItemFinder& finder, UnknownItems unknown) {
  std::vector<ItemId> items;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    try {
      if (const std::optional<ItemId> item = finder.find(line)) {
        items.push_back(*item);
      } else if (unknown == UnknownItems::kRefuse) {
        throw InputError(finder.unknown(line));
      }
    } catch (const InputError& error) {
      throw error.in_file(file, lines.line_number());
    }
  }
  return items;
}

}  // namespace

std::vector<bool> ItemFilter::mask(std::size_t items) const {
  std::vector<bool> allowed(items, !only);
  if (only) {
    for (const ItemId item : *only) allowed[item] = true;
  }
  for (const ItemId item : exclude) allowed[item] = false;
  return allowed;
}

ItemFilter read_item_filter(const ItemFilterFiles& files, const ItemFinder& finder, UnknownItems unknown) {
  ItemFilter filter;
  if (!files.exclude.empty()) filter.exclude = read_items(files.exclude, finder, UnknownItems::kSkip);
  if (!files.only.empty()) filter.only = read_items(files.only, finder, unknown);
  return filter;
}

}  // namespace linn::app
