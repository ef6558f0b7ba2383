#include "linn/recommend/linn/cold_items.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "linn/recommend/linn/fold_recommender.h"
#include "linn/recommend/protocol/stretches.h"
#include "linn/recommend/recommender_registry.h"
#include "linn_trial.h"
#include "support/expect_error.h"
#include "support/naive_inverse.h"

namespace linn {
namespace {

constexpr std::size_t kWidth = 3;

// Items with random categories of two columns; every fifth has no events.
struct Trial {
  Trial() : vectors("items", kItems + 2, kWidth) {
    Random random(4);
    columns = {{"genres", {}}, {"decade", {}}};
    for (std::size_t i = 0; i < kItems; ++i) {
      std::string genres;
      for (const char* genre : {"a", "b", "c", "d"}) {
        if (random.chance(0.4)) genres += (genres.empty() ? "" : "|") + std::string(genre);
      }
      columns[0].values.push_back(genres);
      columns[1].values.push_back(random.chance(0.5) ? "a" : "");  // another category than the genre
      counts.users.push_back(static_cast<std::uint32_t>(i % 5 == 0 ? 0 : 1 + random.below(20)));
    }
    columns[0].values[0] = columns[1].values[0] = "";  // nothing is known about it
    columns[0].values[5] = "only here";
    columns[1].values[5] = "";
    columns[0].values[1] = "once";  // of a single item that is learned from
    columns[0].values[10] = "once";
    columns[1].values[10] = "";
    counts.likes.assign(kItems, 1);
    vectors.initialize_normal(random, 1.0F);
  }

  static constexpr std::size_t kItems = 60;
  std::vector<CategoryColumn> columns;
  ItemCounts counts;
  EmbeddingTable vectors;
};

std::set<std::string> words_of(const Trial& trial, std::size_t item) {
  std::set<std::string> words;
  for (const CategoryColumn& column : trial.columns) {
    std::string word;
    for (const char c : column.values[item] + "|") {
      if (c != '|') {
        word += c;
        continue;
      }
      if (!word.empty()) words.insert(column.name + "=" + word);
      word.clear();
    }
  }
  return words;
}

// The regression as one would write it, over the categories of at least two items that are learned from.
std::vector<float> naive_vector(const Trial& trial, std::size_t item) {
  std::vector<std::string> known;
  std::set<std::string> all;
  for (std::size_t i = 0; i < Trial::kItems; ++i) all.merge(words_of(trial, i));
  for (const std::string& word : all) {
    const auto has = [&](std::size_t i) { return trial.counts.users[i] > 0 && words_of(trial, i).contains(word); };
    std::size_t count = 0;
    for (std::size_t i = 0; i < Trial::kItems; ++i) count += has(i) ? 1 : 0;
    if (count >= 2) known.push_back(word);
  }
  const auto row_of = [&](std::size_t i) {
    std::vector<double> row;
    for (const std::string& word : known) row.push_back(words_of(trial, i).contains(word) ? 1.0 : 0.0);
    row.push_back(1.0);
    return row;
  };
  const std::size_t n = known.size() + 1;
  Square gram(n, std::vector<double>(n, 0.0));
  std::vector<std::vector<double>> sums(n, std::vector<double>(kWidth, 0.0));
  for (std::size_t i = 0; i < n; ++i) gram[i][i] = i + 1 == n ? 1e-3 : ColdItems::kRidge;
  double weights = 0.0;
  double trained = 0.0;
  for (const std::uint32_t users : trial.counts.users) {
    weights += std::pow(users, 1.5);
    trained += users > 0 ? 1.0 : 0.0;
  }
  for (std::size_t t = 0; t < Trial::kItems; ++t) {
    const double weight = std::pow(trial.counts.users[t], 1.5) / weights * trained;
    const auto row = row_of(t);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) gram[i][j] += weight * row[i] * row[j];
      for (std::size_t k = 0; k < kWidth; ++k) sums[i][k] += weight * row[i] * trial.vectors.row(t)[k];
    }
  }
  const Square inverse = naive_inverse(gram);
  const auto row = row_of(item);
  std::vector<float> vector;
  for (std::size_t k = 0; k < kWidth; ++k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) sum += row[i] * inverse[i][j] * sums[j][k];
    }
    vector.push_back(static_cast<float>(sum));
  }
  return vector;
}

TEST(ColdItems, TheirVectorsAreARidgeRegression) {
  Trial trial;
  const EmbeddingTable before = trial.vectors;
  ColdItems cold(ItemCategories(trial.columns, Trial::kItems), trial.counts);
  // Not 0, 5 and 10, about which nothing is known that other items say something about.
  EXPECT_EQ(cold.items(), (std::vector<ItemId>{15, 20, 25, 30, 35, 40, 45, 50, 55}));
  ThreadPool threads(2);
  cold.make(trial.vectors, threads);
  EXPECT_TRUE(cold.are_made());
  Trial untouched;
  for (std::size_t i = 0; i < before.rows(); ++i) {
    const bool made = std::ranges::find(cold.items(), i) != cold.items().end();
    const std::vector<float> expected =
        made ? naive_vector(untouched, i) : std::vector<float>(before.row(i), before.row(i) + kWidth);
    for (std::size_t k = 0; k < kWidth; ++k) {
      EXPECT_NEAR(trial.vectors.row(i)[k], expected[k], made ? 1e-5 : 0.0) << i << ' ' << k;
    }
  }
  cold.restore(trial.vectors);
  EXPECT_FALSE(cold.are_made());
  EXPECT_TRUE(std::ranges::equal(trial.vectors.values(), before.values()));
}

TEST(ColdItems, WithoutCategoriesNothingHappens) {
  Trial trial;
  const EmbeddingTable before = trial.vectors;
  ColdItems cold(ItemCategories({}, Trial::kItems), trial.counts);
  EXPECT_TRUE(cold.items().empty());
  ThreadPool threads(1);
  cold.make(trial.vectors, threads);
  cold.restore(trial.vectors);
  EXPECT_TRUE(std::ranges::equal(trial.vectors.values(), before.values()));
}

// Users like even or odd items, which the categories tell apart; the last ten items have no events.
InteractionData parity_data(bool with_categories) {
  constexpr std::size_t kTrained = 30;
  InteractionData data = kinds_of_items(40, kTrained, 20, 5);
  CategoryColumn column{"parity", {}};
  for (std::size_t i = 0; i < kTrained + 10; ++i) {
    data.items.intern("i" + std::to_string(i));
    column.values.emplace_back(i % 2 == 0 ? "even" : "odd");
  }
  if (with_categories) data.categories = {column};
  return data;
}

struct Trained {
  explicit Trained(bool features) : context(1, 1), histories(parity_data(true)) {
    LinnRecommenderOptions options = linn_fold_preset({1000, 0, 40}, 8);
    options.features = features;
    model = std::make_unique<FoldRecommender>(options, histories, context);
    const TrainingStretches stretches(histories, *model->training_window());
    Random random(2);
    for (std::size_t epoch = 0; epoch < 12; ++epoch) {
      HistoryBatch batch;
      for (const Stretch& stretch : stretches.list()) batch.stretches.push_back(stretch);
      for (std::size_t i = 0; i < 5; ++i) model->train_on_histories(batch, random, context.pool());
      model->end_epoch(context.pool());
    }
  }

  // For a user who likes even items.
  std::vector<float> scores() {
    const std::vector<Event> history = {{2, true}, {3, false}, {8, true}};
    std::vector<float> scores(model->items());
    model->score_all({std::nullopt, history}, scores, context.pool());
    return scores;
  }

  Context context;
  Histories histories;
  std::unique_ptr<FoldRecommender> model;
};

TEST(ColdItems, AreRankedByTheirCategories) {
  Trained with(true);
  Trained without(false);
  // Training is not changed, only what is evaluated and saved.
  EXPECT_TRUE(std::ranges::equal(with.model->variables().values(), without.model->variables().values()));
  with.model->swap_average(with.context.pool());
  without.model->swap_average(without.context.pool());
  const std::vector<float> scores = with.scores();
  for (std::size_t even = 30; even < 40; even += 2) {
    for (std::size_t odd = 31; odd < 40; odd += 2) EXPECT_GT(scores[even], scores[odd]);
  }
  const std::vector<float> others = without.scores();
  for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(scores[i], others[i]);
  with.model->swap_average(with.context.pool());
  without.model->swap_average(without.context.pool());
  EXPECT_TRUE(std::ranges::equal(with.model->variables().values(), without.model->variables().values()));
}

TEST(ColdItems, NeedCategories) {
  const RecommenderKind& kind = recommender_registry().require("linn");
  const Histories histories(parity_data(false));
  Context context;
  for (const char* form : {"fold", "dnf"}) {
    const auto settings = kind.settings(Preset::kBest, {100, 0}, NamedValues{{"features", "true"}, {"form", form}});
    expect_input_error([&] { kind.make(*settings, histories, context); }, 0, 0,
                       "features=true needs columns of categories");
  }
}

}  // namespace
}  // namespace linn
