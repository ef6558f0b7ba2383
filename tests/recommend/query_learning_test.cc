// Every query model learns a planted pattern.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>

#include "recommend/query_trial.h"

namespace linn {
namespace {

class QueryLearning : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, QueryLearning, testing::ValuesIn(kQueryTrials),
                         [](const auto& test) { return test.param.name; });

// Items form a cycle: i is followed by i + 1. Each user is at one position of the cycle, so that models with user
// vectors can learn it too. Disliked items are uninformative distractors.
TEST_P(QueryLearning, LearnsACycleOfItems) {
  constexpr ItemId kItems = 12;
  ThreadPool threads(1);
  NamedValues options = trial_options(GetParam(), 16);
  options.emplace_back("loss", "softmax");
  options.emplace_back("learning_rate", "0.02");
  const auto model = make_trial(GetParam(), options, kItems, kItems, 0.1F);

  std::vector<std::vector<Event>> histories(kItems);
  RankingBatch batch;
  batch.group = 4;
  for (ItemId first = 0; first < kItems; ++first) {
    histories[first] = {{(first + 10) % kItems, true}, {(first + 5) % kItems, false}, {(first + 11) % kItems, true}};
    batch.queries.push_back({UserId{first}, histories[first]});
  }
  Random random(4);
  double first_loss = 0;
  double last_loss = 0;
  for (int step = 0; step < 150; ++step) {
    batch.items.clear();
    for (ItemId next = 0; next < kItems; ++next) {
      batch.items.push_back(next);
      for (int k = 0; k < 3; ++k) {
        batch.items.push_back(static_cast<ItemId>((next + 1 + random.below(kItems - 1)) % kItems));
      }
    }
    last_loss = model->train_step(batch, random, threads);
    if (step == 0) first_loss = last_loss;
  }
  model->end_epoch(threads);
  EXPECT_LT(last_loss, 0.2 * first_loss);
  std::vector<float> scores(kItems);
  for (ItemId next = 0; next < kItems; ++next) {
    model->score_all(batch.queries[next], scores, threads);
    EXPECT_EQ(std::ranges::max_element(scores) - scores.begin(), next);
  }
}

class QueryLearningOfDislikes : public testing::TestWithParam<QueryTrial> {};

std::vector<QueryTrial> trials_with_dislikes() {
  std::vector<QueryTrial> trials;
  std::ranges::copy_if(kQueryTrials, std::back_inserter(trials),
                       [](const QueryTrial& trial) { return trial.dislikes != "none"; });
  return trials;
}

INSTANTIATE_TEST_SUITE_P(Models, QueryLearningOfDislikes, testing::ValuesIn(trials_with_dislikes()),
                         [](const auto& test) { return test.param.name; });

// The next like depends on whether the same item was liked or disliked.
TEST_P(QueryLearningOfDislikes, LearnsFromTheSignOfAnItem) {
  const QueryTrial& trial = GetParam();
  ThreadPool threads(1);
  NamedValues options = trial_options(trial, 16);
  options.emplace_back("learning_rate", "0.02");
  const auto model = make_trial(trial, options, 1, 6, 0.1F);
  const std::vector<std::vector<Event>> histories = {{{0, true}}, {{0, false}}, {{1, true}}, {{1, false}}};
  RankingBatch batch;
  batch.items = {2, 3, 3, 2, 4, 5, 5, 4};
  for (const auto& history : histories) batch.queries.push_back({std::nullopt, history});
  Random random(4);
  for (int step = 0; step < 200; ++step) model->train_step(batch, random, threads);
  model->end_epoch(threads);
  const std::vector<float> scores = scores_of(*model, batch, threads);
  for (std::size_t i = 0; i < histories.size(); ++i) EXPECT_GT(scores[2 * i], scores[2 * i + 1] + 1) << i;
}

}  // namespace
}  // namespace linn
