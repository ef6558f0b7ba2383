#include "linn/recommend/protocol/likes.h"

#include <algorithm>
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

std::vector<float> like_counts(const Histories& histories) {
  const ItemCounts counts = count_items(histories);
  return {counts.likes.begin(), counts.likes.end()};
}

float like_log_odds(const ItemCounts& counts, ItemId item) {
  const double likes = counts.likes[item];
  return static_cast<float>(std::log((likes + 0.5) / (counts.all_users - likes + 0.5)));
}

TrainingLikes::TrainingLikes(const Histories& histories) {
  user_starts_.reserve(histories.users() + 1);
  std::vector<std::size_t> counts(histories.items(), 0);
  for (UserId user = 0; user < histories.users(); ++user) {
    user_starts_.push_back(items_.size());
    for (const Event& event : histories.training_events(user)) {
      if (!event.liked) continue;
      items_.push_back(event.item);
      ++counts[event.item];
    }
    std::sort(items_.begin() + static_cast<std::ptrdiff_t>(user_starts_.back()), items_.end());
  }
  user_starts_.push_back(items_.size());

  item_starts_.assign(histories.items() + 1, 0);
  for (std::size_t item = 0; item < counts.size(); ++item) item_starts_[item + 1] = item_starts_[item] + counts[item];
  users_.resize(items_.size());
  std::vector<std::size_t> next(item_starts_.begin(), item_starts_.end() - 1);
  for (UserId user = 0; user < histories.users(); ++user) {
    for (const ItemId item : items_of(user)) users_[next[item]++] = user;
  }
}

}  // namespace linn
