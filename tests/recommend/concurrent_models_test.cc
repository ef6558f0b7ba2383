// One loaded recommender answers many threads at once, each with its own thread pool.
#include <gtest/gtest.h>

#include <vector>

#include "linn/recommend/linn/cooccurrence.h"
#include "linn/recommend/linn/linn_recommender.h"
#include "linn/recommend/reasons/explanation.h"
#include "recommend/linn_trial.h"
#include "recommend/query_trial.h"
#include "support/at_once.h"

namespace linn {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kUsers = 20;
constexpr std::size_t kItems = 300;

// The results of every kind of query.
std::vector<float> answers(const RankingModel& model, const RankingBatch& batch) {
  ThreadPool threads(2);
  std::vector<float> all = scores_of(model, batch, threads);
  std::vector<float> scores(model.items());
  for (std::size_t i = 0; i < 3; ++i) {
    model.score_all(batch.queries[i], scores, threads);
    all.insert(all.end(), scores.begin(), scores.end());
  }
  for (const Explanation& explanation :
       explain(model, batch.queries[0], std::span(batch.items).first(batch.group), threads)) {
    for (const Reason& reason : explanation.reasons) all.push_back(reason.effect);
  }
  if (const Reasoning* reasoning = model.reasoning()) {
    const std::vector<float> truths = cooccurrence(*reasoning, std::vector<ItemId>{1, 5, 9}, threads);
    all.insert(all.end(), truths.begin(), truths.end());
  }
  return all;
}

void expect_same_answers(const RankingModel& model) {
  const RandomQueries queries(60, kUsers, kItems, 4, 7);
  const std::vector<float> alone = answers(model, queries.batch());
  for (const auto& answer : at_once(kThreads, [&] { return answers(model, queries.batch()); })) {
    EXPECT_EQ(answer, alone);
  }
}

TEST(ConcurrentRecommender, Linn) {
  const Histories histories(kinds_of_items(kUsers, kItems, 10, 3));
  for (const RecommendForm form : {RecommendForm::kDnf, RecommendForm::kFactored}) {
    Context context(1, 1);
    LinnRecommenderOptions options = linn_recommender_preset(Preset::kAuthors, {1000, 0}, 8);
    options.form = form;
    options.init = 0.3F;
    LinnRecommender model(options, histories, context);
    expect_same_answers(model);
    model.prepare_for_queries(context.pool());
    expect_same_answers(model);
  }
}

class ConcurrentQueryModel : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, ConcurrentQueryModel, testing::ValuesIn(kQueryTrials),
                         [](const auto& test) { return test.param.name; });

TEST_P(ConcurrentQueryModel, Answers) {
  const auto model = make_trial(GetParam(), trial_options(GetParam(), 8), kUsers, kItems, 0.3F);
  expect_same_answers(*model);
}

}  // namespace
}  // namespace linn
