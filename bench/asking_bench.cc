// How many answers a second one model gives to one thread, and to several that ask it at once.
//
//   build/bench/asking_bench --benchmark_min_time=3
//
// items_per_second of the cases with 2 threads should be close to twice that with 1, on two idle cores.
#include <benchmark/benchmark.h>

#include <string>

#include "linn/base/random.h"
#include "linn/linn.h"

namespace linn {
namespace {

constexpr int kVariables = 200;
constexpr int kUsers = 500;
constexpr int kItems = 2000;

const Reasoner& some_reasoner() {
  static const Reasoner reasoner = [] {
    KnowledgeBase knowledge;
    Random random(1);
    for (int i = 0; i < 500; ++i) {
      const auto name = [&] { return "v" + std::to_string(random.below(kVariables)); };
      knowledge.add(name() + " & !" + name() + " | " + name() + (i % 3 == 0 ? " = F" : " = T"));
    }
    for (int i = 0; i < kVariables; ++i) knowledge.add("v" + std::to_string(i), i % 2 == 0 ? 1.0 : 0.0);
    return Reasoner::learn(knowledge, {.preset = "paper", .settings = {{"epochs", 1}}});
  }();
  return reasoner;
}

const Recommender& some_recommender() {
  static const Recommender recommender = [] {
    Interactions interactions;
    Random random(1);
    for (int item = 0; item < kItems; ++item) {
      interactions.like("user " + std::to_string(item % kUsers), "item " + std::to_string(item));
    }
    for (int i = 0; i < 10 * kUsers; ++i) {
      interactions.add("user " + std::to_string(i % kUsers), "item " + std::to_string(random.below(kItems)),
                       random.chance(0.7));
    }
    return Recommender::learn(interactions, {.preset = "authors", .settings = {{"epochs", 1}}});
  }();
  return recommender;
}

void one_expression(benchmark::State& state) {
  const Reasoner& reasoner = some_reasoner();
  Random random(static_cast<std::uint64_t>(state.thread_index()));
  for (auto _ : state) {
    std::string expression;
    for (int clause = 0; clause < 5; ++clause) {
      const auto name = [&] { return "v" + std::to_string(random.below(kVariables)); };
      expression += (clause == 0 ? "(" : " | (") + name() + " & !" + name() + " & " + name() + ")";
    }
    benchmark::DoNotOptimize(reasoner.truth_of(expression));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_expression)->Threads(1)->Threads(2)->UseRealTime();

void one_history(benchmark::State& state) {
  const Recommender& recommender = some_recommender();
  Random random(static_cast<std::uint64_t>(state.thread_index()));
  for (auto _ : state) {
    RecommendationQuery query{.history = History(), .explain = state.range(0) != 0};
    for (int i = 0; i < 10; ++i) {
      query.history->push_back({"item " + std::to_string(random.below(kItems)), random.chance(0.8)});
    }
    benchmark::DoNotOptimize(recommender.recommend(query));
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(one_history)->ArgName("explain")->Arg(0)->Arg(1)->Threads(1)->Threads(2)->UseRealTime();

}  // namespace
}  // namespace linn
