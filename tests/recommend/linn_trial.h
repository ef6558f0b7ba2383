// Small data and models for the tests of LINN as a recommender.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/random.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "support/state_file.h"

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

// The scores of all items after a short history.
inline std::vector<float> scores_of(const RankingModel& model, ThreadPool& pool) {
  const std::vector<Event> history = {{1, true}, {4, false}, {7, true}};
  std::vector<float> scores(model.items());
  model.score_all({std::nullopt, history}, scores, pool);
  return scores;
}

// Trains a model twice with train(model, random, pool). Another model, with other initial values and on another number
// of threads, that takes over its state in between ends with the same bits.
template <class Model, class Train>
void expect_resumes_bit_for_bit(const LinnRecommenderOptions& options, const Histories& histories,
                                const std::filesystem::path& state_file, const Train& train) {
  Context context(1, 2);
  Model model(options, histories, context);
  Random random(2);
  train(model, random, context.pool());
  save_state(model, state_file);
  const Random::State state = random.state();
  train(model, random, context.pool());

  Context other_context(9, 1);
  Model other(options, histories, other_context);
  load_state(other, state_file);
  random.set_state(state);
  train(other, random, other_context.pool());
  EXPECT_EQ(scores_of(other, context.pool()), scores_of(model, context.pool()));
  EXPECT_TRUE(std::ranges::equal(other.variables().values(), model.variables().values()));
  ASSERT_EQ(other.epoch_metrics().size(), 2U);  // laws and length
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(other.epoch_metrics()[i].values, model.epoch_metrics()[i].values);
  for (Model* trained : {&model, &other}) trained->swap_average(context.pool());
  EXPECT_EQ(scores_of(other, context.pool()), scores_of(model, context.pool()));
}

}  // namespace linn
