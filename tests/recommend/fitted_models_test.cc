// Popularity, item-based neighbours and EASE against naive implementations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "linn/base/error.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/recommend/recommender_registry.h"
#include "support/naive_inverse.h"
#include "support/random_interactions.h"

namespace linn {
namespace {

InteractionData some_data() {
  InteractionRecipe recipe;
  recipe.items = 24;
  recipe.ratings = 9;
  InteractionData data = random_interactions(recipe);
  Random random(17);
  for (Interaction& row : data.train) row.liked = row.liked != random.chance(0.2);  // so that no two items are equal
  return data;
}

// Whether a user likes an item, by the training rows.
std::vector<std::vector<double>> like_matrix(const InteractionData& data) {
  std::vector<std::vector<double>> x(data.users.size(), std::vector<double>(data.items.size(), 0.0));
  for (const Interaction& row : data.train) x[row.user][row.item] = row.liked ? 1.0 : 0.0;
  return x;
}

double together(const std::vector<std::vector<double>>& x, std::size_t i, std::size_t j) {
  double sum = 0.0;
  for (const auto& user : x) sum += user[i] * user[j];
  return sum;
}

std::vector<float> scores_of(const RankingModel& model, std::span<const Event> history) {
  std::vector<float> scores(model.items());
  ThreadPool pool(2);
  model.score_all({std::nullopt, history}, scores, pool);
  return scores;
}

const std::vector<Event> kHistory = {{3, true}, {8, false}, {7, true}, {11, true}};

TrainedRecommender fit(std::string_view name, const InteractionData& data, const NamedValues& changed = {},
                       std::size_t threads = 3) {
  Context context(0, threads);
  const RecommenderKind& kind = recommender_registry().require(name);
  TrainedRecommender fitted;
  fitted.kind = &kind;
  fitted.settings = kind.settings(Preset::kBest, {100, 0}, changed);
  fitted.catalogue = catalogue_of(data);
  fitted.model = kind.fit(*fitted.settings, Histories(data), context);
  return fitted;
}

std::string file_of(const TrainedRecommender& recommender) {
  SafetensorsWriter out;
  recommender.write(out);
  return out.to_bytes();
}

TrainedRecommender load(const std::string& bytes) {
  return load_recommender(SafetensorsFile::parse(bytes, "model"), recommender_registry());
}

TEST(Popularity, CountsTrainingLikes) {
  const InteractionData data = some_data();
  const auto x = like_matrix(data);
  const auto model = fit("popularity", data).model;
  const auto scores = scores_of(*model, kHistory);
  for (std::size_t i = 0; i < scores.size(); ++i) EXPECT_EQ(scores[i], together(x, i, i));
  EXPECT_EQ(scores, scores_of(*model, {}));
}

TEST(Ease, ReportsTheInverse) {
  const InteractionData data = some_data();
  const RecommenderKind& kind = recommender_registry().require("ease");
  Context context;
  std::vector<std::string> reports;
  context.set_progress([&](const Progress& progress) {
    reports.push_back(fmt::format("{} {}/{}", progress.what, progress.done, progress.total));
    EXPECT_TRUE(std::isnan(progress.value));
    return true;
  });
  kind.fit(*kind.settings(Preset::kBest, {100, 0}, {}), Histories(data), context);
  EXPECT_EQ(reports, std::vector<std::string>{"inverting a matrix of 24 x 24 1/1"});
}

TEST(ItemKnn, AgreesWithItsFormula) {
  const InteractionData data = some_data();
  const auto x = like_matrix(data);
  const std::size_t n = data.items.size();
  for (const bool votes_against : {false, true}) {
    const TrainedRecommender knn = fit(
        "itemknn", data,
        {{"neighbours", "5"}, {"shrinkage", "0.7"}, {"history", "3"}, {"dislikes", votes_against ? "minus" : "none"}});
    const auto scores = scores_of(*knn.model, kHistory);

    const std::vector<Event> window = votes_against ? std::vector<Event>{{8, false}, {7, true}, {11, true}}
                                                    : std::vector<Event>{{3, true}, {7, true}, {11, true}};
    for (std::size_t t = 0; t < n; ++t) {
      std::vector<std::pair<float, std::size_t>> near;  // ties by the lower number
      for (std::size_t i = 0; i < n; ++i) {
        const double both = together(x, t, i);
        if (i == t || both == 0.0) continue;
        near.emplace_back(-static_cast<float>(both / (std::sqrt(together(x, t, t) * together(x, i, i)) + 0.7)), i);
      }
      std::sort(near.begin(), near.end());
      near.resize(std::min<std::size_t>(near.size(), 5));
      double expected = 0.0;
      for (const auto& [minus_similarity, i] : near) {
        for (const Event& event : window) {
          if (event.item == i) expected -= static_cast<double>(minus_similarity) * (event.liked ? 1.0 : -1.0);
        }
      }
      EXPECT_NEAR(scores[t], expected, 2e-6);
    }
  }
}

TEST(ItemKnn, OrdersItemsWithoutVotesByPopularity) {
  InteractionData data;
  for (int u = 0; u < 3; ++u) data.users.intern(fmt::format("{}", u));
  for (int i = 0; i < 4; ++i) data.items.intern(fmt::format("{}", i));
  data.train = {{0, 0, true, 0}, {0, 1, true, 0}, {1, 2, true, 0}, {2, 2, true, 0}, {2, 3, false, 0}};
  const auto model = fit("itemknn", data).model;
  const std::vector<Event> history = {{0, true}};
  const auto scores = scores_of(*model, history);
  EXPECT_GT(scores[1], scores[2]);
  EXPECT_GT(scores[2], scores[3]);
  EXPECT_EQ(scores_of(*model, {})[2], 2.0F);  // an empty history gets popularity
}

TEST(Ease, AgreesWithItsFormula) {
  const InteractionData data = some_data();
  const auto x = like_matrix(data);
  const std::size_t n = data.items.size();
  const auto model = fit("ease", data, {{"ridge", "2.5"}, {"history", "0"}}).model;
  const auto scores = scores_of(*model, kHistory);

  std::vector<std::vector<double>> gram(n, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) gram[i][j] = together(x, i, j) + (i == j ? 2.5 : 0.0);
  }
  const auto p = naive_inverse(gram);
  for (std::size_t j = 0; j < n; ++j) {
    double expected = 0.0;
    for (const std::size_t h : {3U, 7U, 11U}) expected += h == j ? 0.0 : -p[h][j] / p[j][j];  // likes alone
    EXPECT_NEAR(scores[j], expected, 1e-6);
  }
  const std::vector<Event> dislikes = {{2, false}};
  EXPECT_EQ(scores_of(*model, dislikes)[5], together(x, 5, 5));  // like an empty history
}

TEST(Ease, RejectsALargeCatalogueWithItsMemory) {
  InteractionData data;
  data.users.intern("ann");
  for (int i = 0; i < 30'001; ++i) data.items.intern(fmt::format("{}", i));
  data.train = {{0, 0, true, 0}};
  try {
    fit("ease", data);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(error.message().find("30001 items would take 7 GB"), std::string::npos) << error.message();
  }
}

TEST(FittedModels, AreEqualAfterLoadingAndForAnyNumberOfThreads) {
  InteractionData data = some_data();
  for (std::size_t i = 0; i < data.items.size(); ++i) data.titles.push_back(fmt::format("Title \"{}\" é", i));
  for (const char* name : {"popularity", "itemknn", "ease"}) {
    const NamedValues changed = name == std::string_view("popularity") ? NamedValues() : NamedValues{{"history", "2"}};
    const TrainedRecommender fitted = fit(name, data, changed);
    const RankingModel* model = fitted.model.get();
    const TrainedRecommender loaded = load(file_of(fitted));
    EXPECT_EQ(loaded.kind->name(), name);
    EXPECT_EQ(loaded.settings->values(), fitted.settings->values());
    EXPECT_EQ(loaded.catalogue.titles, data.titles);
    EXPECT_EQ(loaded.catalogue.users.name(7), "user7");
    EXPECT_EQ(scores_of(*loaded.model, kHistory), scores_of(*model, kHistory));
    EXPECT_EQ(file_of(fit(name, data, changed, 1)), file_of(fitted));

    // score() agrees with score_all().
    const std::vector<Query> queries = {{0U, kHistory}, {std::nullopt, {}}, {3U, std::span(kHistory).first(1)}};
    const std::vector<ItemId> items = {5, 1, 9, 9, 0, 23};
    std::vector<float> scores(6);
    ThreadPool pool(2);
    model->score(queries, items, 2, scores, pool);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(scores[i], scores_of(*model, queries[i / 2].history)[items[i]]);
  }
}

TEST(LoadRecommender, RejectsOtherModels) {
  SafetensorsWriter out;
  out.set_metadata("model", "majority");
  EXPECT_THROW(load(out.to_bytes()), InputError);
}

TEST(LoadRecommender, RejectsInconsistentVotes) {
  const InteractionData data = some_data();
  const std::size_t items = data.items.size();
  const TrainedRecommender knn = fit("itemknn", data);
  const std::vector<float> weights = {1.0F};
  const std::vector<float> likes(items, 1.0F);
  const auto load_votes = [&](std::uint64_t end, ItemId target) {
    std::vector<std::uint64_t> starts(items + 1, 0);
    starts.back() = end;
    const std::vector<ItemId> targets = {target};
    SafetensorsWriter out;
    static_cast<const RecommenderDescription&>(knn).write(out);
    out.add("votes.starts", {starts.size()}, std::span(starts));
    out.add("votes.targets", {1}, std::span(targets));
    out.add("votes.weights", {1}, std::span(weights));
    out.add("likes", {items}, std::span(likes));
    return load(out.to_bytes());
  };
  EXPECT_NO_THROW(load_votes(1, 3));
  EXPECT_THROW(load_votes(1, 99), InputError);  // no such item
  EXPECT_THROW(load_votes(2, 3), InputError);   // more votes than there are
}

}  // namespace
}  // namespace linn
