#include "linn/recommend/protocol/stretches.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "linn/recommend/protocol/shared_negatives.h"
#include "linn/recommend/protocol/train_ranking.h"
#include "support/random_interactions.h"

namespace linn {
namespace {

// One user with these training events.
InteractionData data_of(const std::vector<Event>& events, std::size_t items = 20) {
  InteractionData data;
  data.users.intern("u");
  for (std::size_t i = 0; i < items; ++i) data.items.intern("i" + std::to_string(i));
  for (const Event& event : events) data.train.push_back({0, event.item, event.liked, 0});
  return data;
}

std::vector<std::vector<ItemId>> stretches_of(const std::vector<Event>& events, const HistoryWindow& window) {
  const InteractionData data = data_of(events);
  const Histories histories(data);
  const TrainingStretches stretches(histories, window);
  std::vector<std::vector<ItemId>> all;
  for (const Stretch& stretch : stretches.list()) {
    all.emplace_back();
    for (const Event& event : stretch.events) all.back().push_back(event.item);
  }
  return all;
}

using Items = std::vector<std::vector<ItemId>>;

TEST(TrainingStretches, AreCountedFromTheNewestEvent) {
  const std::vector<Event> likes = {{0, true}, {1, true}, {2, true}, {3, true}, {4, true}, {5, true}};
  EXPECT_EQ(stretches_of(likes, {0, true}), (Items{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(stretches_of(likes, {5, true}), (Items{{0, 1, 2, 3, 4, 5}}));
  EXPECT_EQ(stretches_of(likes, {3, true}), (Items{{0, 1, 2}, {2, 3, 4, 5}}));
  EXPECT_EQ(stretches_of(likes, {2, false}), (Items{{0, 1}, {1, 2, 3}, {3, 4, 5}}));
  EXPECT_EQ(stretches_of({{3, true}}, {2, true}), Items{});
  EXPECT_EQ(stretches_of({}, {0, true}), Items{});
}

TEST(TrainingStretches, ReadDislikesIfTheWindowDoes) {
  const std::vector<Event> events = {{0, true}, {1, false}, {2, false}, {3, true}, {4, false}};
  EXPECT_EQ(stretches_of(events, {0, true}), (Items{{0, 1, 2, 3, 4}}));
  EXPECT_EQ(stretches_of(events, {0, false}), (Items{{0, 3}}));
  // Dislikes are no targets.
  EXPECT_EQ(stretches_of(events, {2, true}), (Items{{2, 3, 4}}));
  EXPECT_EQ(stretches_of({{0, false}, {1, false}, {2, true}}, {0, false}), Items{});
}

TEST(TrainingStretches, HaveEveryTargetOnce) {
  const InteractionData data = random_interactions({});
  const Histories histories(data);
  for (const std::size_t length : {1U, 3U, 7U, 0U}) {
    const TrainingStretches stretches(histories, {length, true});
    std::size_t targets = 0;
    for (const Stretch& stretch : stretches.list()) {
      targets += stretch.targets();
      if (length > 0) EXPECT_LE(stretch.events.size(), length + 1);
    }
    EXPECT_EQ(targets, histories.examples(Split::kTrain).size());
  }
}

TEST(SharedNegatives, StandForLargeCataloguesOnly) {
  EXPECT_EQ(default_shared_negatives(20'000), 0U);
  EXPECT_EQ(default_shared_negatives(20'001), 4096U);
}

TEST(SharedNegatives, AreDrawnByTheirWeights) {
  std::vector<Event> events;
  for (ItemId item = 0; item < 3; ++item) events.push_back({item, item != 1});
  const InteractionData data = data_of(events, 4);
  const Histories histories(data);
  constexpr std::size_t kDraws = 60'000;
  for (const NegativeSampling sampling : {NegativeSampling::kUniform, NegativeSampling::kPopularity}) {
    const bool uniform = sampling == NegativeSampling::kUniform;
    const std::vector<double> shares =
        uniform ? std::vector<double>{0.25, 0.25, 0.25, 0.25} : std::vector<double>{2 / 6.0, 1 / 6.0, 2 / 6.0, 1 / 6.0};
    const SharedNegatives sampler(histories, sampling);
    Random random(1);
    std::vector<ItemId> items = {9};
    std::vector<float> log_counts;
    sampler.draw(kDraws, random, items, log_counts);
    ASSERT_EQ(items.size(), kDraws);
    std::map<ItemId, std::size_t> counts;
    for (std::size_t i = 0; i < kDraws; ++i) {
      ++counts[items[i]];
      ASSERT_NEAR(log_counts[i], std::log(kDraws * shares.at(items[i])), 1e-5);
    }
    for (ItemId item = 0; item < 4; ++item)
      EXPECT_NEAR(static_cast<double>(counts[item]), kDraws * shares[item], 0.02 * kDraws);
  }
}

// Every like after a user's first event is a target of exactly one stretch; earlier ones of those that come first.
TEST(TrainingStretches, OfAContinuedTrainingKeepEarlierTargetsApart) {
  InteractionData data = data_of({{0, true}, {1, false}, {2, true}, {3, true}, {4, true}, {5, false}, {6, true}});
  data.earlier = 4;
  const Histories histories(data);
  EXPECT_EQ(histories.earlier_events(0).size(), 4U);
  for (const std::size_t length : {0U, 1U, 2U, 3U, 5U}) {
    for (const bool dislikes : {true, false}) {
      const TrainingStretches stretches(histories, {length, dislikes});
      std::vector<ItemId> targets;
      std::vector<ItemId> earlier;
      for (std::size_t i = 0; i < stretches.list().size(); ++i) {
        const Stretch& stretch = stretches.list()[i];
        EXPECT_GT(stretch.targets(), 0U);
        if (length > 0) EXPECT_LE(stretch.events.size(), length + 1);
        for (std::size_t k = 0; k < stretch.events.size(); ++k) {
          if (!stretch.is_target(k)) continue;
          targets.push_back(stretch.events[k].item);
          if (i < stretches.earlier()) earlier.push_back(stretch.events[k].item);
        }
      }
      EXPECT_EQ(earlier, (std::vector<ItemId>{2, 3}));
      EXPECT_EQ(targets, (std::vector<ItemId>{2, 3, 4, 6}));
    }
  }
  // Without a limit the later targets have the whole history before them.
  const TrainingStretches whole(histories, {0, true});
  ASSERT_EQ(whole.list().size(), 2U);
  EXPECT_EQ(whole.list()[1].events.size(), 7U);
  EXPECT_EQ(whole.list()[1].first_target, 4U);
}

}  // namespace
}  // namespace linn
