// The likes of the training rows as two flat lists: items by user and users by item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/histories.h"

namespace linn {

class TrainingLikes {
 public:
  explicit TrainingLikes(const Histories& histories);

  // Both sorted.
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

// Calls use(item, counts, met, thread) for every item: counts[other] is how many users like both, and `met` lists the
// others for which that is not zero, in no order; the item itself is among them if anybody likes it.
template <class Use>
void for_each_cooccurrence(const TrainingLikes& likes, ThreadPool& threads, Use use) {
  struct Scratch {
    std::vector<std::uint32_t> counts;
    std::vector<ItemId> met;
  };
  std::vector<Scratch> scratch(threads.threads());
  threads.run(likes.items(), [&](std::size_t task, std::size_t thread) {
    Scratch& s = scratch[thread];
    s.counts.resize(likes.items(), 0);
    s.met.clear();
    const auto item = static_cast<ItemId>(task);
    for (const UserId user : likes.users_of(item)) {
      for (const ItemId other : likes.items_of(user)) {
        if (s.counts[other]++ == 0) s.met.push_back(other);
      }
    }
    use(item, std::span<const std::uint32_t>(s.counts), std::span<ItemId>(s.met), thread);
    for (const ItemId other : s.met) s.counts[other] = 0;
  });
}

}  // namespace linn
