#include "linn/recommend/protocol/negative_sampler.h"

#include <cassert>

#include "linn/recommend/protocol/likes.h"

namespace linn {

NegativeSampler::NegativeSampler(const Histories& histories) : items_(histories.items()) {
  const TrainingLikes likes(histories);
  starts_.reserve(likes.users() + 1);
  for (UserId user = 0; user < likes.users(); ++user) {
    starts_.push_back(gaps_.size());
    const auto liked = likes.items_of(user);
    gaps_.insert(gaps_.end(), liked.begin(), liked.end());
    to_gaps(std::span(gaps_).subspan(starts_.back()));
  }
  starts_.push_back(gaps_.size());
}

void NegativeSampler::draw(UserId user, Random& random, std::span<ItemId> out) const {
  assert(has_negatives(user));
  const auto gaps = std::span(gaps_).subspan(starts_[user], starts_[user + 1] - starts_[user]);
  const std::size_t count = unliked(user);
  for (ItemId& item : out) item = unliked_item(gaps, random.below(count));
}

}  // namespace linn
