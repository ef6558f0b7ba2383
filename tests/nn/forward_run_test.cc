// A run that only goes forward: it agrees with a training run, holds no gradients, and can share its network.
#include "linn/nn/forward_run.h"

#include <gtest/gtest.h>

#include <vector>

#include "linn/nn/module_rows.h"
#include "nn/random_network.h"
#include "support/allocation_count.h"
#include "support/at_once.h"

namespace linn {
namespace {

std::vector<float> values_of(std::span<const float> values) { return {values.begin(), values.end()}; }

TEST(ForwardRun, AgreesWithATrainingRun) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const NetworkOptions options = random_network(random);
    LogicNetwork network(options);
    network.initialize(random, 0.5F);
    ThreadPool pool(1);
    ForwardRun forward(network, pool);
    GradientRun training(network, pool);
    // Small, large and small again, so that the memory has grown and then has too many rows.
    for (const std::size_t expressions : {2, 80, 1}) {
      Plan plan;
      PlanBuilder().build(batch_of(random_forms(random, {.expressions = expressions, .variables = 30})), &random, plan);
      const auto table = random_table(random, 30, options.width);
      EXPECT_EQ(values_of(forward.forward(plan, table.data())), values_of(training.forward(plan, table.data())));
      for (const std::uint32_t root : plan.roots) {
        EXPECT_EQ(values_of(forward.vector(root)), values_of({training.forward_memory().vector(root), options.width}));
      }
    }
  }
}

// A question costs less memory than the gradients of the parameters would take once.
TEST(ForwardRun, AllocatesNoGradientMemory) {
  Random random(1);
  LogicNetwork network(NetworkOptions::authors(64));
  network.initialize(random);
  const auto table = random_table(random, 20, 64);
  ExpressionBatch batch;
  std::vector<Literal> clause;
  for (VariableId v = 0; v < 10; ++v) clause.push_back(Literal::of(v, v % 3 == 0));
  batch.add_clause(clause);
  batch.end_expression(Form::kCnf);
  Plan plan;
  PlanBuilder().build(batch, nullptr, plan);
  ThreadPool pool(1);
  const auto bytes_of = [&](const auto& work) {
    const std::size_t before = allocated_bytes();
    work();
    return allocated_bytes() - before;
  };
  const std::size_t parameters = network.parameters().values().size_bytes();
  const std::size_t forward = bytes_of([&] { ForwardRun(network, pool).forward(plan, table.data()); });
  const std::size_t training = bytes_of([&] { GradientRun(network, pool).forward(plan, table.data()); });
  EXPECT_LT(forward, parameters);
  EXPECT_GT(training, kLaneCount * parameters);
}

constexpr std::size_t kThreads = 8;

TEST(ConcurrentForward, ThreadsShareANetwork) {
  for (const std::size_t pool_threads : {1, 2}) {
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      Random random(seed, 11);
      const NetworkOptions options = random_network(random);
      LogicNetwork made(options);
      made.initialize(random, 0.5F);
      const LogicNetwork& network = made;
      const auto table = random_table(random, kLargeBatch.variables, options.width);
      const std::vector<NormalForm> forms = large_forms(random);
      const auto ask = [&] {
        ThreadPool pool(pool_threads);
        ForwardRun run(network, pool);
        PlanBuilder builder;
        Plan plan;
        std::vector<float> all;
        for (const std::size_t count : {forms.size(), std::size_t{1}, std::size_t{20}}) {
          builder.build(batch_of(std::span(forms).first(count)), nullptr, plan);
          const auto scores = run.forward(plan, table.data());
          all.insert(all.end(), scores.begin(), scores.end());
        }
        return all;
      };
      const std::vector<float> alone = ask();
      for (const std::vector<float>& answer : at_once(kThreads, ask)) EXPECT_EQ(answer, alone);
    }
  }
}

TEST(ConcurrentForward, ThreadsShareModules) {
  Random random(3);
  LogicNetwork made(NetworkOptions::authors(16));
  made.initialize(random, 0.5F);
  const LogicNetwork& network = made;
  constexpr std::size_t kRows = 300;
  const auto a = random_table(random, kRows, 16);
  const auto b = random_table(random, kRows, 16);
  const auto ask = [&] {
    ThreadPool pool(2);
    ModuleRows modules(network, pool);
    std::vector<float> both(kRows * 16), neither(kRows * 16), alike(kRows);
    modules.gate(Gate::kAnd, kRows, {a.data(), 16}, {b.data(), 16}, both.data());
    modules.negate(kRows, {both.data(), 16}, neither.data());
    modules.similarity(kRows, {neither.data(), 16}, modules.true_row(), alike.data());
    return alike;
  };
  const std::vector<float> alone = ask();
  for (const std::vector<float>& answer : at_once(kThreads, ask)) EXPECT_EQ(answer, alone);
}

}  // namespace
}  // namespace linn
