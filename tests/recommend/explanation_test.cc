#include "linn/recommend/reasons/explanation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>

#include "linn/base/error.h"
#include "linn/recommend/protocol/top_items.h"
#include "linn_trial.h"

namespace linn {
namespace {

// Each event adds one to the scores of all items; to its own item and those below it adds another 10 if liked and
// subtracts 10 if not, twice as much for the newest event.
class CountingModel : public RankingModel {
 public:
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool&) const override {
    for (std::size_t i = 0; i < items.size(); ++i) {
      const auto history = queries[i / each].history;
      scores[i] = static_cast<float>(items[i]);
      for (std::size_t e = 0; e < history.size(); ++e) {
        const float vote = (items[i] <= history[e].item ? 10.0F : 0.0F) * (e + 1 == history.size() ? 2.0F : 1.0F);
        scores[i] += 1.0F + (history[e].liked ? vote : -vote);
      }
    }
  }
  std::size_t items() const override { return 10; }
  void add_values(SafetensorsWriter&, const std::string&) const override {}
};

TEST(Explanation, IsTheDropOfTheScoreWithoutAnEvent) {
  ThreadPool pool(1);
  const std::vector<Event> history = {{5, true}, {2, false}, {3, true}};
  const std::vector<ItemId> items = {7, 1};
  const auto explanations = explain(CountingModel(), {std::nullopt, history}, items, pool);
  ASSERT_EQ(explanations.size(), 2U);
  // No event argues for item 7: what all items gain is no argument.
  EXPECT_EQ(explanations[0].item, 7U);
  EXPECT_EQ(explanations[0].score, 7.0F + 3.0F);
  for (const Reason& reason : explanations[0].reasons) {
    EXPECT_EQ(reason.drop, 1.0F);
    EXPECT_FALSE(reason.weight);
  }
  // For item 1: the newest event gives 20, and takes a dislike's place that counts twice without it.
  const std::vector<Reason>& reasons = explanations[1].reasons;
  EXPECT_EQ(explanations[1].score, 1.0F + 3.0F + 10.0F - 10.0F + 20.0F);
  ASSERT_EQ(reasons.size(), 3U);
  EXPECT_EQ(reasons[0].event, history[2]);
  EXPECT_EQ(reasons[0].drop, 1.0F + 20.0F + 10.0F);
  // The average item loses one, twenty in four of ten cases, and ten in three.
  EXPECT_FLOAT_EQ(reasons[0].effect, 31.0F - (1.0F + 8.0F + 3.0F));
  EXPECT_EQ(reasons[1].event, history[0]);
  EXPECT_EQ(reasons[1].drop, 11.0F);
  EXPECT_FLOAT_EQ(reasons[1].effect, 10.0F - 6.0F);
  EXPECT_EQ(reasons[2].event, history[1]);
  EXPECT_EQ(reasons[2].drop, -9.0F);
  EXPECT_FLOAT_EQ(reasons[2].effect, -10.0F + 3.0F);
  EXPECT_TRUE(explain(CountingModel(), {}, items, pool)[0].reasons.empty());
}

TEST(Explanation, InWords) {
  const auto name = [](ItemId item) { return "m" + std::to_string(item); };
  Explanation explanation;
  const auto add = [&](ItemId item, bool liked, float effect) {
    explanation.reasons.push_back({{item, liked}, std::nullopt, 0.0F, effect});
  };
  EXPECT_EQ(in_words(explanation, 3, name), "");
  add(1, true, 3.0F);
  EXPECT_EQ(in_words(explanation, 3, name), "Because you liked m1");
  add(2, false, 2.0F);
  EXPECT_EQ(in_words(explanation, 3, name), "Because you liked m1 and did not like m2");
  add(3, true, 1.0F);
  add(4, false, 0.5F);
  EXPECT_EQ(in_words(explanation, 3, name), "Because you liked m1 and m3 and did not like m2");
  EXPECT_EQ(in_words(explanation, 4, name), "Because you liked m1 and m3 and did not like m2 or m4");
  add(5, true, -1.0F);
  EXPECT_EQ(in_words(explanation, 9, name), "Because you liked m1 and m3 and did not like m2 or m4");
}

TEST(Explanation, OfLinnHasClauseTruthsAndCoversTheWindow) {
  const Histories histories(kinds_of_items(20, 40, 12, 5));
  LinnRecommenderOptions options = linn_recommender_preset(Preset::kAuthors, {1000, 0}, 8);
  options.history = 3;
  options.init = 0.4F;
  Context context(1, 1);
  const LinnRecommender model(options, histories, context);
  const std::vector<Event> history = {{9, true}, {5, true}, {2, false}, {3, true}};
  const std::vector<Event> window = {{5, true}, {2, false}, {3, true}};
  const std::vector<ItemId> items = {7, 8};
  const auto explanations = explain(model, {std::nullopt, history}, items, context.pool());
  const auto truths = model.clause_truths(window, items, context.pool());
  std::vector<float> score(2);
  for (std::size_t i = 0; i < 2; ++i) {
    ASSERT_EQ(explanations[i].reasons.size(), 3U);
    EXPECT_TRUE(std::ranges::is_sorted(explanations[i].reasons, std::greater<>(), &Reason::effect));
    for (const Reason& reason : explanations[i].reasons) {
      const auto place = static_cast<std::size_t>(std::ranges::find(window, reason.event) - window.begin());
      ASSERT_LT(place, window.size());
      EXPECT_FLOAT_EQ(*reason.weight, truths[place * 2 + i]);
      std::vector<Event> without = window;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(place));
      const Query queries[] = {{std::nullopt, without}};
      model.score(queries, {&items[i], 1}, 1, {score.data(), 1}, context.pool());
      EXPECT_FLOAT_EQ(reason.drop, explanations[i].score - score[0]);
    }
  }
  // The only event carries the whole score.
  const auto single = explain(model, {std::nullopt, std::span(history).first(1)}, items, context.pool());
  EXPECT_EQ(single[0].reasons[0].drop, single[0].score);
  std::vector<float> all(40);
  const Query query = {std::nullopt, std::span(history).first(1)};
  model.score_all(query, all, context.pool());
  const float mean = std::accumulate(all.begin(), all.end(), 0.0F) / 40.0F;
  EXPECT_NEAR(single[0].reasons[0].effect, single[0].score - mean, 1e-4);
}

// All items have the same score.
class ConstantModel : public RankingModel {
 public:
  explicit ConstantModel(float score = 2.0F) : score_(score) {}
  void score(std::span<const Query>, std::span<const ItemId>, std::size_t, std::span<float> scores,
             ThreadPool&) const override {
    std::ranges::fill(scores, score_);
  }
  std::size_t items() const override { return 3; }
  void add_values(SafetensorsWriter&, const std::string&) const override {}

 private:
  float score_;
};

TEST(TopItems, AreTheBestUnseenItems) {
  ThreadPool pool(1);
  const std::vector<Event> history = {{9, false}, {4, true}};
  // Items up to 4 have 20 and all have 2 more, less 10.
  const auto top = top_items(CountingModel(), {std::nullopt, history}, {3, false}, pool);
  EXPECT_EQ(top, (std::vector<ScoredItem>{{3, 15.0F}, {2, 14.0F}, {1, 13.0F}}));
  EXPECT_EQ(top_items(CountingModel(), {std::nullopt, history}, {2, true}, pool)[0], (ScoredItem{4, 16.0F}));
  EXPECT_EQ(top_items(CountingModel(), {std::nullopt, history}, {99, false}, pool).size(), 8U);
  // Files of histories keep a list for each, which must not take the memory of the catalogue.
  EXPECT_EQ(top.capacity(), 3U);
  // Ties keep the order of the catalogue.
  EXPECT_EQ(top_items(ConstantModel(), {}, {2, false}, pool), (std::vector<ScoredItem>{{0, 2.0F}, {1, 2.0F}}));
}

TEST(TopItems, ScoresThatAreNotNumbersAreAFailure) {
  ThreadPool pool(1);
  EXPECT_THROW(top_items(ConstantModel(std::numeric_limits<float>::quiet_NaN()), {}, {2, false}, pool), Failure);
}

TEST(Explanation, InWordsFallsBackOnTheTruestClause) {
  const auto name = [](ItemId item) { return "item " + std::to_string(item); };
  Explanation explanation;
  explanation.score = 5.0F;
  explanation.reasons = {
      {{1, true}, 0.7F, 0.0F, -0.1F}, {{2, true}, 0.9F, 0.0F, -0.2F}, {{3, false}, 0.2F, 0.0F, -0.3F}};
  EXPECT_EQ(in_words(explanation, 3, name), "Because you liked item 2");
  EXPECT_EQ(argues(explanation.reasons[1], explanation.scale()), Argues::kNeither);
  EXPECT_EQ(argues(explanation.reasons[2], explanation.scale()), Argues::kAgainst);
  explanation.reasons[2].effect = 0.05F;  // negligible
  EXPECT_EQ(in_words(explanation, 3, name), "Because you liked item 2");
  explanation.reasons[2].effect = 0.2F;  // has an effect, although the clause is false
  EXPECT_EQ(in_words(explanation, 3, name), "Because you did not like item 3");
  for (Reason& reason : explanation.reasons) reason = {reason.event, 0.4F, 0.0F, -1.0F};
  EXPECT_EQ(in_words(explanation, 3, name), "");
  for (Reason& reason : explanation.reasons) reason.weight.reset();  // not LINN
  EXPECT_EQ(in_words(explanation, 3, name), "");
}

}  // namespace
}  // namespace linn
