// Items to learn from that a user does not like, as far as the training rows tell.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/recommend/protocol/histories.h"

namespace linn {

class NegativeSampler {
 public:
  // Looks at the training rows alone: were held-out likes left out of the negatives, they would be given away.
  explicit NegativeSampler(const Histories& histories);

  // False for a user who likes every item: there is nothing to draw.
  bool has_negatives(UserId user) const { return others(user) > 0; }

  // Fills `out` with items that the user dislikes or never met, each of them equally likely, drawn one by one: an item
  // may come twice. The user must have negatives.
  void draw(UserId user, Random& random, std::span<ItemId> out) const;

 private:
  std::size_t others(UserId user) const { return items_ - (starts_[user + 1] - starts_[user]); }

  std::size_t items_;
  std::vector<std::size_t> starts_;
  std::vector<ItemId> gaps_;  // of each user's likes, see other_items.h
};

}  // namespace linn
