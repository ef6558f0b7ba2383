// Small data and models for the tests of LINN as a recommender.
#pragma once

#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/random.h"
#include "linn/recommend/linn/linn_recommender.h"

namespace linn {

// Users like either the even or the odd items and dislike the others, in random order.
inline InteractionData kinds_of_items(std::size_t users, std::size_t items, std::size_t events, std::uint64_t seed) {
  InteractionData data;
  for (std::size_t i = 0; i < items; ++i) data.items.intern("i" + std::to_string(i));
  Random random(seed);
  for (std::size_t u = 0; u < users; ++u) {
    const UserId user = data.users.intern("u" + std::to_string(u));
    for (std::size_t e = 0; e < events; ++e) {
      const auto item = static_cast<ItemId>(random.below(items));
      data.train.push_back({user, item, item % 2 == u % 2, static_cast<std::int64_t>(e)});
    }
  }
  return data;
}

// At most `most` random events.
inline std::vector<Event> random_history(Random& random, std::size_t items, std::size_t most) {
  std::vector<Event> history(random.below(most + 1));
  for (Event& event : history) event = {static_cast<ItemId>(random.below(items)), random.chance(0.7)};
  return history;
}

// A batch of random training examples with random items as negatives.
inline RankingBatch some_batch(const Histories& histories, std::size_t groups, std::size_t group, Random& random) {
  const std::vector<Example> examples = histories.examples(Split::kTrain);
  RankingBatch batch;
  batch.group = group;
  for (std::size_t i = 0; i < groups; ++i) {
    const Example& example = examples[random.below(examples.size())];
    batch.queries.push_back({example.user, histories.before(example)});
    batch.items.push_back(histories.item(example));
    for (std::size_t n = 1; n < group; ++n) {
      batch.items.push_back(static_cast<ItemId>(random.below(histories.items())));
    }
  }
  return batch;
}

}  // namespace linn
