// Gradients of query models against finite differences of their loss.
#include <gtest/gtest.h>

#include <functional>

#include "recommend/query_trial.h"
#include "support/gradient_check.h"

namespace linn {
namespace {

class QueryGradient : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, QueryGradient, testing::ValuesIn(kQueryTrials),
                         [](const auto& test) { return test.param.name; });

constexpr std::size_t kUsers = 4;
constexpr std::size_t kItems = 7;

// The gradient of a table, with zeros for the rows that the batch does not touch.
std::vector<float> dense_gradient(const SparseGradient& gradient, const EmbeddingTable& table) {
  std::vector<float> dense(table.rows() * table.width(), 0.0F);
  for (std::size_t i = 0; i < gradient.rows.size(); ++i) {
    std::copy_n(gradient.values + i * table.width(), table.width(), dense.begin() + gradient.rows[i] * table.width());
  }
  return dense;
}

// The loss whose gradients a step computes.
using Compute = std::function<double(QueryTraining& training, Random& random, ThreadPool& threads)>;

void check_gradients(const QueryTrial& trial, const NamedValues& options, const Compute& compute) {
  ThreadPool threads(1);
  const auto model = make_trial(trial, options, kUsers, kItems, 1.0F);
  QueryNetwork& network = model->network();
  Random values(3);
  // Biases are initialized to zero, which could hide an error in their gradient.
  for (const ParameterInfo& info : network.parameters().list()) {
    for (float& value : network.parameters().values().subspan(info.offset, info.size())) {
      value += 0.7F * static_cast<float>(values.normal());
    }
  }
  for (float& value : network.newcomer()) value = static_cast<float>(values.normal());

  const auto loss = [&] {
    Random random(1);  // the same dropout each time
    return compute(model->training(), random, threads);
  };
  loss();
  // ReLU has kinks, and a layer norm over few elements has a large curvature.
  GradientCheckOptions check;
  check.step = 0.005;
  check.tolerance = 5e-3;
  check.kinks = 0.03;
  check.rounding = 32;
  const auto computed = model->training().parameter_gradients().values();
  const std::vector<float> parameter_gradients(computed.begin(), computed.end());
  PerTable<std::vector<float>> table_gradients;
  for (std::size_t i = 0, existing = 0; i < kQueryTables; ++i) {
    const auto number = static_cast<QueryTable>(i);
    if (const auto& table = network.tables()[number]) {
      table_gradients[number] = dense_gradient(model->training().table_gradients()[existing++], *table);
    }
  }
  for (const ParameterInfo& info : network.parameters().list()) {
    EXPECT_TRUE(gradient_matches(network.parameters().values().subspan(info.offset, info.size()),
                                 std::span(parameter_gradients).subspan(info.offset, info.size()), loss, check))
        << "of " << info.name;
  }
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    const auto number = static_cast<QueryTable>(i);
    if (auto& table = network.tables()[number]) {
      EXPECT_TRUE(gradient_matches(table->values(), table_gradients[number], loss, check)) << "of " << table->name();
    }
  }
}

void check_gradients_of_likes(const QueryTrial& trial, const NamedValues& options) {
  const RandomQueries queries(8, kUsers, kItems, 3, 11);
  check_gradients(trial, options, [&](QueryTraining& training, Random& random, ThreadPool& threads) {
    return training.compute(queries.batch(), random, threads);
  });
}

TEST_P(QueryGradient, OfBothLosses) {
  NamedValues options = trial_options(GetParam(), 4);
  options.emplace_back("loss", "bpr");
  check_gradients_of_likes(GetParam(), options);
  options.emplace_back("loss", "softmax");
  check_gradients_of_likes(GetParam(), options);
}

TEST_P(QueryGradient, ThroughDropout) { check_gradients_of_likes(GetParam(), trial_options(GetParam(), 4, 0.3)); }

class HistoryGradient : public testing::TestWithParam<QueryTrial> {};

INSTANTIATE_TEST_SUITE_P(Models, HistoryGradient, testing::ValuesIn(history_trials()),
                         [](const auto& test) { return test.param.name; });

TEST_P(HistoryGradient, OfTheMeanLossOverTheTargets) {
  RandomStretches stretches(GetParam(), 9, kUsers, kItems, 16);  // for other seeds, SASRec crosses more kinks
  const auto mean_loss = [&](QueryTraining& training, Random& random, ThreadPool& threads) {
    return training.compute(stretches.batch(), random, threads) / static_cast<double>(stretches.targets());
  };
  check_gradients(GetParam(), history_trial_options(GetParam(), 4), mean_loss);
  stretches.batch().label_noise = 0.1;
  check_gradients(GetParam(), history_trial_options(GetParam(), 4, 0.3), mean_loss);
  stretches.batch().negatives = {6, 2, 6, 0, 3};
  stretches.batch().negative_log_counts = {-0.3F, 0.2F, -0.3F, 0.5F, -1.0F};
  check_gradients(GetParam(), history_trial_options(GetParam(), 4), mean_loss);
}

}  // namespace
}  // namespace linn
