#include "linn/data/split_interactions.h"

#include <utility>

namespace linn {

SplitPoints split_history(std::span<const Interaction> history) {
  constexpr std::size_t kLikesForTraining = 5;
  SplitPoints points{history.size(), history.size()};
  std::size_t likes = 0;
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!history[i].liked || ++likes <= kLikesForTraining) continue;
    // So far this is the last like; the previous one is for validation unless it is among the first five.
    points.validation = likes > kLikesForTraining + 1 ? points.test : i;
    points.test = i;
  }
  return points;
}

void append_history(std::span<const Interaction> history, InteractionData& data) {
  const SplitPoints points = split_history(history);
  const auto append = [&](std::vector<Interaction>& part, std::size_t from, std::size_t to) {
    const std::span<const Interaction> rows = history.subspan(from, to - from);
    part.insert(part.end(), rows.begin(), rows.end());
  };
  append(data.train, 0, points.validation);
  append(data.validation, points.validation, points.test);
  append(data.test, points.test, history.size());
}

std::vector<ItemId> renumber_items(InteractionData& data, UnusedItems unused) {
  std::vector<ItemId> numbers(data.items.size(), kNoItem);
  Vocabulary items;
  const auto number = [&](ItemId item) {
    if (numbers[item] == kNoItem) numbers[item] = items.intern(data.items.name(item));
    return numbers[item];
  };
  for (auto* part : {&data.train, &data.validation, &data.test}) {
    for (Interaction& row : *part) row.item = number(row.item);
  }
  if (unused == UnusedItems::kKeep) {
    for (ItemId item = 0; item < numbers.size(); ++item) number(item);
  }
  const auto renumber = [&](std::vector<std::string>& texts) {
    std::vector<std::string> renumbered(items.size());
    for (ItemId item = 0; item < numbers.size(); ++item) {
      if (numbers[item] != kNoItem) renumbered[numbers[item]] = std::move(texts[item]);
    }
    texts = std::move(renumbered);
  };
  if (!data.titles.empty()) renumber(data.titles);
  for (CategoryColumn& column : data.categories) renumber(column.values);
  data.items = std::move(items);
  return numbers;
}

}  // namespace linn
