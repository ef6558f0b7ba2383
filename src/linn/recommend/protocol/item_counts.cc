#include "linn/recommend/protocol/item_counts.h"

#include <cmath>

namespace linn {

ItemCounts count_items(const Histories& histories) {
  ItemCounts counts;
  counts.likes.resize(histories.items());
  counts.users.resize(histories.items());
  for (UserId user = 0; user < histories.users(); ++user) {
    const auto events = histories.training_events(user);
    if (!events.empty()) ++counts.all_users;
    for (const Event& event : events) {
      ++counts.users[event.item];
      if (event.liked) ++counts.likes[event.item];
    }
  }
  return counts;
}

float newcomer_score(const ItemCounts& counts, ItemId item) {
  const double likes = counts.likes[item];
  return static_cast<float>(std::log((likes + 0.5) / (counts.all_users - likes + 0.5)));
}

}  // namespace linn
