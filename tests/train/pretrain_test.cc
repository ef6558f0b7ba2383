#include "linn/train/pretrain.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "linn/nn/forward_run.h"
#include "linn/nn/module_rows.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

// The truth of a gate applied to constants.
float truth(const LogicNetwork& network, ThreadPool& pool, Gate gate, bool a, bool b) {
  ModuleRows modules(network, pool);
  std::vector<float> result(network.width());
  modules.gate(gate, 1, a ? modules.true_row() : modules.false_row(), b ? modules.true_row() : modules.false_row(),
               result.data());
  float similarity = 0.0F;
  modules.similarity(1, {result.data(), network.width()}, modules.true_row(), &similarity);
  return similarity;
}

// A vector with the given score against T, and otherwise in a random direction.
std::vector<float> vector_with_score(const LogicNetwork& network, float score, Random& random) {
  const auto t = network.true_vector();
  std::vector<float> aside;
  for (std::size_t i = 0; i < t.size(); ++i) aside.push_back(static_cast<float>(random.normal()));
  const auto dot = [](auto& a, auto& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0F); };
  const float along = dot(aside, t) / dot(t, t);
  for (std::size_t i = 0; i < t.size(); ++i) aside[i] -= along * t[i];
  const float c = score / network.options().alpha;
  std::vector<float> result;
  for (std::size_t i = 0; i < t.size(); ++i) {
    result.push_back(
        0.3F * (c * t[i] / std::sqrt(dot(t, t)) + std::sqrt(1.0F - c * c) * aside[i] / std::sqrt(dot(aside, aside))));
  }
  return result;
}

class Pretrain : public testing::TestWithParam<bool> {};

TEST_P(Pretrain, ModulesLearnTruthTablesAndProbabilities) {
  Random random(5);
  Context context(5, 2);
  LogicNetwork network(GetParam() ? NetworkOptions::authors(32) : NetworkOptions::paper(32));
  network.initialize(random);
  PretrainOptions options;
  options.steps = 1;
  const double first_laws = pretrain_modules(network, context, options).law_mean;
  options.steps = 500;
  options.variables = 64;
  options.expressions = 64;
  const PretrainReport report = pretrain_modules(network, context, options, 1);

  EXPECT_EQ(report.steps, 500U);
  EXPECT_LT(report.law_mean, 0.1 * first_laws);
  EXPECT_LT(report.loss, 0.55);  // ln 2 for constant predictions; not 0, since the labels are probabilities
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      EXPECT_EQ(truth(network, context.pool(), Gate::kAnd, a, b) > 0.5F, a && b) << a << " and " << b;
      EXPECT_EQ(truth(network, context.pool(), Gate::kOr, a, b) > 0.5F, a || b) << a << " or " << b;
    }
  }

  // Two variables at 1/2: both are true with probability 1/4, at least one with probability 3/4. Such a short
  // pretraining only gets close; what matters is that the gates stay soft.
  ExpressionBatch batch;
  const Literal literals[] = {Literal::of(0, false), Literal::of(1, false)};
  batch.add_clause(literals);
  batch.end_expression(Form::kDnf);
  batch.add_clause({literals, 1});
  batch.add_clause({literals + 1, 1});
  batch.end_expression(Form::kDnf);
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  ForwardRun run(network, context.pool());
  double both = 0.0;
  double either = 0.0;
  constexpr int kTrials = 200;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<float> table = vector_with_score(network, 0.0F, random);
    const std::vector<float> other = vector_with_score(network, 0.0F, random);
    table.insert(table.end(), other.begin(), other.end());
    const auto scores = run.forward(plan, table.data());
    both += 1.0 / (1.0 + std::exp(-static_cast<double>(scores[0]))) / kTrials;
    either += 1.0 / (1.0 + std::exp(-static_cast<double>(scores[1]))) / kTrials;
  }
  EXPECT_NEAR(both, 0.25, 0.2);
  EXPECT_NEAR(either, 0.75, 0.2);
}

INSTANTIATE_TEST_SUITE_P(Presets, Pretrain, testing::Bool());

TEST(PretrainModules, DoesNotDependOnTheNumberOfThreads) {
  std::vector<float> first;
  for (const std::size_t threads : {1U, 3U}) {
    Random random(6);
    Context context(6, threads);
    LogicNetwork network(NetworkOptions::paper(16));
    network.initialize(random);
    PretrainOptions options;
    options.steps = 5;
    pretrain_modules(network, context, options);
    const auto values = network.parameters().values();
    if (first.empty()) {
      first.assign(values.begin(), values.end());
    } else {
      EXPECT_EQ(first, std::vector<float>(values.begin(), values.end()));
    }
  }
}

TEST(PretrainModules, OfSeveralNetworksDoesNotDependOnTheNumberOfThreads) {
  std::vector<std::vector<float>> first;
  for (const std::size_t threads : {1U, 3U}) {
    Context context(8, threads);
    LogicNetwork a(NetworkOptions::paper(16)), b(NetworkOptions::paper(16));
    for (LogicNetwork* network : {&a, &b}) {
      Random random(6);
      network->initialize(random);
    }
    LogicNetwork* const both[] = {&a, &b};
    PretrainOptions options;
    options.steps = 5;
    options.law_share = 0.1F;
    EXPECT_EQ(pretrain_modules(both, context, options).steps, 5U);
    std::vector<std::vector<float>> values;
    for (const LogicNetwork* network : {&a, &b}) {
      const auto all = network->parameters().values();
      values.emplace_back(all.begin(), all.end());
    }
    EXPECT_NE(values[0], values[1]);  // each network has its own batches
    if (first.empty()) first = values;
    EXPECT_EQ(first, values);
  }
}

TEST(PretrainModules, CanBeStoppedByTheListener) {
  Random random(7);
  Context context(7, 1);
  LogicNetwork network(NetworkOptions::paper(8));
  network.initialize(random);
  context.set_progress([](const Progress& progress) {
    EXPECT_EQ(progress.what, "pretraining");
    return progress.done < 3;
  });
  EXPECT_EQ(pretrain_modules(network, context, {}).steps, 3U);
}

// A store for the state of a pretraining alone, which also counts how often it was saved.
class PretrainingStore : public MemoryStore {
 public:
  std::optional<SafetensorsFile> pretraining(std::size_t member) const override {
    EXPECT_EQ(member, 7U);
    if (bytes_.empty()) return std::nullopt;
    return SafetensorsFile::parse(bytes_, "pretraining");
  }
  void save_pretraining(std::size_t member, SafetensorsWriter& out) override {
    EXPECT_EQ(member, 7U);
    bytes_ = out.to_bytes();
  }

 private:
  std::string bytes_;
};

TEST(PretrainModules, ThatWereStoppedAreResumedBitForBit) {
  PretrainOptions options;
  options.steps = 12;
  const auto pretrain = [&](std::size_t stop, PretrainingStore* store) {
    Context context(8, 2);
    LogicNetwork a(NetworkOptions::authors(8)), b(NetworkOptions::authors(8));
    for (LogicNetwork* network : {&a, &b}) {
      Random random(6);
      network->initialize(random);
    }
    context.set_progress([&](const Progress& progress) { return progress.done < stop; });
    LogicNetwork* const both[] = {&a, &b};
    const PretrainReport report = pretrain_modules(both, context, options, 3, {store, 7});
    EXPECT_EQ(report.steps, std::min(stop, options.steps));
    std::vector<float> values(a.parameters().values().begin(), a.parameters().values().end());
    values.insert(values.end(), b.parameters().values().begin(), b.parameters().values().end());
    values.push_back(static_cast<float>(report.loss));
    values.push_back(static_cast<float>(report.law_mean));
    return values;
  };
  const std::vector<float> undisturbed = pretrain(100, nullptr);
  PretrainingStore store;
  EXPECT_NE(pretrain(5, &store), undisturbed);
  EXPECT_NE(pretrain(9, &store), undisturbed);
  EXPECT_EQ(pretrain(100, &store), undisturbed);
  // What has been completed is not done again.
  EXPECT_EQ(pretrain(100, &store), undisturbed);
}

}  // namespace
}  // namespace linn
