#include "app/evaluate/item_files.h"

#include <optional>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) + 1 - begin);
}

std::vector<ItemId> read_items(const std::string& file, const ItemFinder& finder, UnknownItems unknown,
                               std::size_t& skipped) {
  std::vector<ItemId> items;
  LineReader lines(file);
  for (std::string_view line; lines.next(line);) {
    const std::string_view name = trim(line);
    if (name.empty()) continue;
    try {
      std::optional<ItemId> item = finder.find(line);
      if (!item) item = finder.find(name);
      if (item) {
        items.push_back(*item);
      } else if (unknown == UnknownItems::kRefuse) {
        throw InputError(finder.unknown(name));
      } else {
        ++skipped;
      }
    } catch (const InputError& error) {
      throw error.in_file(file, lines.line_number());
    }
  }
  return items;
}

}  // namespace

ChosenItems read_item_files(const ItemFiles& files, const Catalogue& catalogue) {
  ChosenItems chosen;
  if (files.empty()) return chosen;
  const ItemFinder finder(catalogue);
  std::vector<ItemId> exclude;
  if (!files.exclude.empty()) exclude = read_items(files.exclude, finder, UnknownItems::kSkip, chosen.skipped);
  std::vector<ItemId> listed;
  if (!files.only.empty()) listed = read_items(files.only, finder, files.unknown, chosen.skipped);
  std::optional<std::span<const ItemId>> only;
  if (!files.only.empty()) only = listed;
  chosen.choice = ItemChoice(catalogue.items.size(), only, exclude);
  return chosen;
}

}  // namespace linn::app
