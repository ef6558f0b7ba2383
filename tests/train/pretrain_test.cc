#include "linn/train/pretrain.h"

#include <gtest/gtest.h>

#include <cmath>

#include "linn/nn/network_run.h"
#include "linn/plan/plan_builder.h"

namespace linn {
namespace {

// The truth of a gate over constants, as the network sees it.
float truth(LogicNetwork& network, ThreadPool& pool, Gate gate, bool a, bool b) {
  const PlanBuilder::ConstantGate only = {gate, a, b};
  Plan plan;
  PlanBuilder().build({&only, 1}, {}, plan);
  NetworkRun run(network, pool);
  return 1.0F / (1.0F + std::exp(-run.forward(plan, nullptr)[0]));
}

class Pretrain : public testing::TestWithParam<bool> {};

TEST_P(Pretrain, ModulesLearnTheLawsAndTheTruthTables) {
  Random random(5);
  Context context(5, 2);
  LogicNetwork network(GetParam() ? NetworkOptions::authors(32) : NetworkOptions::paper(32));
  network.initialize(random);
  PretrainOptions options;
  options.steps = 400;
  options.vectors = 64;
  const PretrainReport report = pretrain_modules(network, context, options);

  EXPECT_LT(report.last_law_mean, 0.3 * report.first_law_mean);
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      EXPECT_EQ(truth(network, context.pool(), Gate::kAnd, a, b) > 0.5F, a && b) << a << " and " << b;
      EXPECT_EQ(truth(network, context.pool(), Gate::kOr, a, b) > 0.5F, a || b) << a << " or " << b;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Presets, Pretrain, testing::Bool());

TEST(PretrainReport, NumberOfThreadsChangesNothing) {
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

TEST(PretrainReport, AListenerCanStopIt) {
  Random random(7);
  Context context(7, 1);
  LogicNetwork network(NetworkOptions::paper(8));
  network.initialize(random);
  context.set_progress([](const Progress& progress) { return progress.done < 3; });
  EXPECT_EQ(pretrain_modules(network, context, {}).steps, 3U);
}

}  // namespace
}  // namespace linn
