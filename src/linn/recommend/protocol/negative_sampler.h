// Draws items that a user does not like in the training data.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/recommend/protocol/histories.h"

namespace linn {

class NegativeSampler {
 public:
  // Only the training rows are read: excluding held-out likes from the negatives would leak them.
  explicit NegativeSampler(const Histories& histories);

  // False for a user who likes every item.
  bool has_negatives(UserId user) const { return unliked(user) > 0; }

  // Fills `out` with items that the user dislikes or has not rated, drawn uniformly with replacement. Requires
  // has_negatives(user).
  void draw(UserId user, Random& random, std::span<ItemId> out) const;

 private:
  std::size_t unliked(UserId user) const { return items_ - (starts_[user + 1] - starts_[user]); }

  std::size_t items_;
  std::vector<std::size_t> starts_;
  std::vector<ItemId> gaps_;  // of each user's likes, see likes.h
};

}  // namespace linn
