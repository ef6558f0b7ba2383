// Likes in the training data: counts per item, lists by user and by item, and the items a user does not like.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/histories.h"

namespace linn {

struct ItemCounts {
  std::vector<std::uint32_t> likes;  // by item: users who liked it
  std::vector<std::uint32_t> users;  // by item: users who liked or disliked it
  std::uint32_t all_users = 0;       // users with at least one training row

  friend bool operator==(const ItemCounts&, const ItemCounts&) = default;
};

ItemCounts count_items(const Histories& histories);

// ItemCounts::likes as scores.
std::vector<float> like_counts(const Histories& histories);

// The smoothed log-odds that a user likes the item, log((likes + 1/2) / (other users + 1/2)): the score for a user
// about whom nothing is known.
float like_log_odds(const ItemCounts& counts, ItemId item);

// The likes in compressed rows, both ways.
class TrainingLikes {
 public:
  explicit TrainingLikes(const Histories& histories);

  // Both ascending.
  std::span<const ItemId> items_of(UserId user) const { return slice(items_, user_starts_, user); }
  std::span<const UserId> users_of(ItemId item) const { return slice(users_, item_starts_, item); }
  std::size_t users() const { return user_starts_.size() - 1; }
  std::size_t items() const { return item_starts_.size() - 1; }

 private:
  static std::span<const std::uint32_t> slice(const std::vector<std::uint32_t>& values,
                                              const std::vector<std::size_t>& starts, std::size_t i) {
    return std::span(values).subspan(starts[i], starts[i + 1] - starts[i]);
  }

  std::vector<std::size_t> user_starts_, item_starts_;
  std::vector<ItemId> items_;
  std::vector<UserId> users_;
};

// Calls use(item, counts, others, thread) for every item: counts[other] is the number of users who like both, and
// `others` lists the items with a count above zero, unordered. The item itself is among them if anybody likes it.
template <class Use>
void for_each_cooccurrence(const TrainingLikes& likes, ThreadPool& threads, Use use) {
  struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<ItemId> others;
  };
  std::vector<Scratch> scratch(threads.threads());
  threads.run(likes.items(), [&](std::size_t task, std::size_t thread) {
    Scratch& s = scratch[thread];
    s.counts.resize(likes.items(), 0);
    s.others.clear();
    const auto item = static_cast<ItemId>(task);
    for (const UserId user : likes.users_of(item)) {
      for (const ItemId other : likes.items_of(user)) {
        if (s.counts[other]++ == 0) s.others.push_back(other);
      }
    }
    use(item, std::span<const std::uint32_t>(s.counts), std::span<ItemId>(s.others), thread);
    for (const ItemId other : s.others) s.counts[other] = 0;
  });
}

// Items that a user does not like, numbered without gaps so that one can be drawn in a single step: rejection sampling
// would be slow for users who like nearly everything.
//
// Liked items l_0 < l_1 < ... leave l_k - k unliked items below l_k. With these counts as `gaps`, the unliked item
// number r is r plus the number of counts that are at most r.
inline ItemId unliked_item(std::span<const ItemId> gaps, std::size_t r) {
  const auto above = std::upper_bound(gaps.begin(), gaps.end(), static_cast<ItemId>(r));
  return static_cast<ItemId>(r + static_cast<std::size_t>(above - gaps.begin()));
}

// Turns distinct items in ascending order into their gaps, in place.
inline void to_gaps(std::span<ItemId> liked) {
  for (std::size_t k = 0; k < liked.size(); ++k) liked[k] -= static_cast<ItemId>(k);
}

}  // namespace linn
