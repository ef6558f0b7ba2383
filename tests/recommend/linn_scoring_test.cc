// Scores of lists and whole catalogues against expressions that are built one by one and evaluated recursively.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "../nn/random_network.h"
#include "linn/nn/gradient_run.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "linn/recommend/linn/target_scorer.h"
#include "linn_trial.h"
#include "support/naive_network.h"

namespace linn {
namespace {

constexpr std::size_t kItems = 450;  // several blocks, the last one not full
constexpr std::size_t kUsers = 6;

// The truth of each expression by the naive evaluator, in double precision.
std::vector<double> naive_scores(LinnRecommender& model, const ExpressionBatch& batch) {
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  ThreadPool pool(1);
  GradientRun run(model.network(), pool);
  run.forward(plan, model.variables().row(0));
  const std::vector<float> d_scores(plan.roots.size(), 1.0F);
  return naive_network(naive_input(model.network(), run, model.variables().row(0), nullptr, d_scores)).scores;
}

struct Trial {
  LinnRecommenderOptions options;
  const char* name;
};

std::vector<Trial> trials() {
  std::vector<Trial> all;
  Random random(17);
  const auto add = [&](const char* name, RecommendForm form, std::size_t order, bool user_vectors) {
    for (int i = 0; i < 4; ++i) {
      LinnRecommenderOptions options =
          linn_recommender_preset(i == 0 ? Preset::kAuthors : Preset::kPaper, {1000, 0}, 8);
      if (i >= 2) options.network = random_network(random);
      options.form = form;
      options.clause_order = order;
      options.user_vectors = user_vectors;
      options.init = 0.4F;
      options.history = 6;
      all.push_back({options, name});
    }
  };
  add("dnf", RecommendForm::kDnf, 1, false);
  add("factored", RecommendForm::kFactored, 1, false);
  add("dnf of order 2", RecommendForm::kDnf, 2, false);
  add("dnf with users", RecommendForm::kDnf, 1, true);
  add("factored with users", RecommendForm::kFactored, 1, true);
  return all;
}

TEST(LinnScoring, EqualsExpressionsOneByOne) {
  const Histories histories(kinds_of_items(kUsers, kItems, 5, 1));
  std::uint64_t seed = 0;
  for (const Trial& trial : trials()) {
    SCOPED_TRACE(trial.name);
    Context context(++seed, 2);
    LinnRecommender model(trial.options, histories, context);
    Random random(seed);
    std::vector<std::vector<Event>> events;
    std::vector<Query> queries;
    for (int i = 0; i < 4; ++i) events.push_back(random_history(random, kItems, 9));
    events.push_back({{3, true}});
    // Known users, an unknown user, and a query without a user.
    for (std::size_t i = 0; i < events.size(); ++i) {
      queries.push_back({i == 0 ? std::nullopt : std::optional<UserId>(2 * i), events[i]});
    }
    constexpr std::size_t kEach = 7;
    std::vector<ItemId> items;
    for (std::size_t i = 0; i < queries.size() * kEach; ++i) items.push_back(static_cast<ItemId>(random.below(kItems)));
    std::vector<float> scores(items.size());
    model.score(queries, items, kEach, scores, context.pool());

    for (std::size_t i = 0; i < queries.size(); ++i) {
      std::vector<Event> window;
      model.window().cut(events[i], window);
      ExpressionBatch batch;
      RecommendationExpressions builder({trial.options.form, trial.options.clause_order}, kItems);
      const auto own = std::span(items).subspan(i * kEach, kEach);
      const bool argued =
          builder.add(window, model.has_vector(queries[i].user) ? queries[i].user : std::nullopt, own, nullptr, batch);
      const std::vector<double> expected = argued ? naive_scores(model, batch) : std::vector<double>();
      for (std::size_t j = 0; j < kEach; ++j) {
        const double wanted = argued ? expected[j] : static_cast<double>(like_log_odds(model.counts(), own[j]));
        EXPECT_NEAR(scores[i * kEach + j], wanted, 1e-3 * (1.0 + std::abs(wanted)));
      }

      // Scoring all items at once, with and without precomputed projections, gives the same bits.
      std::vector<float> all(kItems);
      model.score_all(queries[i], all, context.pool());
      std::vector<ItemId> every(kItems);
      std::iota(every.begin(), every.end(), ItemId{0});
      std::vector<float> listed(kItems);
      ThreadPool one(1);
      model.score({&queries[i], 1}, every, kItems, listed, one);
      EXPECT_EQ(all, listed);
      for (std::size_t j = 0; j < kEach; ++j) EXPECT_EQ(all[own[j]], scores[i * kEach + j]);
      if (i == 1) {
        model.prepare_for_queries(context.pool());
        model.score_all(queries[i], listed, context.pool());
        EXPECT_EQ(all, listed);
        model.score({&queries[i], 1}, every, kItems, listed, context.pool());
        EXPECT_EQ(all, listed);
      }
    }
  }
}

TEST(LinnScoring, ClauseTruthsAreThoseOfTheClauses) {
  const Histories histories(kinds_of_items(kUsers, kItems, 5, 1));
  for (const RecommendForm form : {RecommendForm::kDnf, RecommendForm::kFactored}) {
    Context context(3, 2);
    LinnRecommenderOptions options = linn_recommender_preset(Preset::kAuthors, {1000, 0}, 8);
    options.form = form;
    options.init = 0.4F;
    LinnRecommender model(options, histories, context);
    const std::vector<Event> events = {{4, true}, {9, false}, {11, true}};
    const std::vector<ItemId> targets = {7, 4, 200};
    ExpressionBatch batch;
    for (const Event& event : events) {
      for (const ItemId target : targets) {
        const Literal clause[] = {Literal::of(event.item, !event.liked), Literal::of(target, false)};
        batch.add_clause(clause);
        batch.end_expression(Form::kDnf);
      }
    }
    const std::vector<double> expected = naive_scores(model, batch);
    const std::vector<float> truths = model.clause_truths(events, targets, context.pool());
    ASSERT_EQ(truths.size(), expected.size());
    for (std::size_t i = 0; i < truths.size(); ++i) EXPECT_NEAR(truths[i], 1.0 / (1.0 + std::exp(-expected[i])), 1e-4);
    EXPECT_TRUE(model.clause_truths({}, targets, context.pool()).empty());
  }
}

TEST(LinnScoring, AnEmptyHistoryGetsPopularItems) {
  InteractionData data = kinds_of_items(3, 4, 0, 1);
  data.train = {{0, 2, true, 0}, {1, 2, true, 0}, {1, 3, false, 1}, {2, 1, true, 0}};
  const Histories histories(data);
  Context context(1, 1);
  const LinnRecommender model(linn_recommender_preset(Preset::kPaper, {4, 0}, 8), histories, context);
  std::vector<float> scores(4);
  model.score_all({}, scores, context.pool());
  EXPECT_GT(scores[2], scores[1]);
  EXPECT_GT(scores[1], scores[0]);
  EXPECT_EQ(scores[0], scores[3]);  // dislikes do not count
  EXPECT_FLOAT_EQ(scores[2], std::log(2.5F / 1.5F));
  EXPECT_EQ(model.counts().users, (std::vector<std::uint32_t>{0, 1, 2, 1}));
}

TEST(LinnScoring, CountsTheMultiplyAddsOfATarget) {
  const LogicNetwork network(NetworkOptions::authors(64));
  EXPECT_EQ(multiply_adds_of_target(network, 1, true), 64.0 * 128);
  EXPECT_EQ(multiply_adds_of_target(network, 1, false), 2 * 64.0 * 128);
  EXPECT_EQ(multiply_adds_of_target(network, 10, false), 64.0 * 128 * (1 + 10 + 9 * 3));
}

}  // namespace
}  // namespace linn
