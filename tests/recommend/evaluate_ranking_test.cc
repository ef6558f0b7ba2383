#include "linn/recommend/protocol/evaluate_ranking.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <set>

#include "support/random_interactions.h"

namespace linn {
namespace {

// Scores are pseudorandom, but depend on the whole query.
class HashModel : public RankingModel {
 public:
  explicit HashModel(std::size_t items) : items_(items) {}

  float one(const Query& query, ItemId item) const {
    std::uint64_t seed = query.user ? *query.user : 1'000'000;
    for (const Event& event : query.history) seed = seed * 31 + event.item * 2 + (event.liked ? 1 : 0);
    const std::uint64_t value = Random(seed, item).below(40);
    return value == 0 ? std::numeric_limits<float>::quiet_NaN() : static_cast<float>(value);  // ties and NaN
  }
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override {
    threads.run(items.size(), [&](std::size_t i, std::size_t) { scores[i] = one(queries[i / each], items[i]); });
  }
  std::size_t items() const override { return items_; }
  void add_values(SafetensorsWriter&, const std::string&) const override {}

 private:
  std::size_t items_;
};

// The rank of an item, scoring one item at a time.
Ranking naive_rank(const HashModel& model, const Histories& histories, const Example& example, std::size_t known_users,
                   const std::set<ItemId>& others) {
  Query query;
  if (example.user < known_users) query.user = example.user;
  query.history = histories.before(example);
  const float own = model.one(query, histories.item(example));
  Ranking ranking = {1, static_cast<std::uint32_t>(others.size())};
  for (const ItemId item : others) {
    const float other = model.one(query, item);
    if (std::isnan(own) || (!std::isnan(other) && other >= own)) ++ranking.rank;
  }
  return ranking;
}

TEST(RankHeldOut, AgreesWithScoringOneItemAtATime) {
  InteractionRecipe recipe;
  recipe.users = 300;  // more than a block
  InteractionData data = random_interactions(recipe);
  // A user in the middle who likes nearly everything has fewer candidates than the rest.
  for (ItemId item = 0; item < 35; ++item) data.train.push_back({100, item, true, 0});
  const Histories histories(data);
  const HashModel model(histories.items());
  constexpr std::size_t kKnown = 250;
  for (const std::size_t count : {12UL, 0UL}) {
    const Candidates candidates(histories, Split::kTest, {count, 3});
    std::vector<Ranking> expected;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      const Example& example = candidates.example(i);
      std::set<ItemId> others;
      if (count == 0) {
        for (ItemId item = 0; item < histories.items(); ++item) others.insert(item);
        for (const Event& event : histories.events(example.user)) {
          if (event.liked) others.erase(event.item);
        }
      } else {
        const auto items = candidates.items(i).subspan(1);
        others.insert(items.begin(), items.end());
      }
      expected.push_back(naive_rank(model, histories, example, kKnown, others));
    }
    for (const std::size_t threads : {1U, 3U}) {
      ThreadPool pool(threads);
      EXPECT_EQ(rank_held_out(model, histories, candidates, kKnown, pool), expected);
    }
  }
}

TEST(FitToCatalogue, RenumbersUsersAndItems) {
  InteractionData data;
  data.users.intern("new");
  data.users.intern("ann");
  for (const char* item : {"unknown", "b", "a"}) data.items.intern(item);
  data.train = {{0, 1, true, 7}, {0, 0, true, 8}, {1, 2, false, 9}};
  data.test = {{1, 1, true, 10}};
  Catalogue catalogue;
  catalogue.users.intern("ann");
  catalogue.users.intern("bob");
  catalogue.items.intern("a");
  catalogue.items.intern("b");
  catalogue.titles = {"A", "B"};

  const FittedData fitted = fit_to_catalogue(data, catalogue);
  EXPECT_EQ(fitted.known_users, 2U);
  EXPECT_EQ(fitted.left_out, 1U);
  EXPECT_EQ(fitted.unknown_items, 1U);
  EXPECT_EQ(fitted.data.train, (std::vector<Interaction>{{2, 1, true, 7}, {0, 0, false, 9}}));
  EXPECT_EQ(fitted.data.test, (std::vector<Interaction>{{0, 1, true, 10}}));
  EXPECT_EQ(fitted.data.users.name(2), "new");
  EXPECT_EQ(fitted.data.items.size(), 2U);

  // The training data of the model keeps its numbers.
  const InteractionData own = random_interactions({});
  const FittedData same = fit_to_catalogue(own, catalogue_of(own));
  EXPECT_EQ(same.data.train, own.train);
  EXPECT_EQ(same.left_out, 0U);
}

}  // namespace
}  // namespace linn
