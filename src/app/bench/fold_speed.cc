#include "app/bench/fold_speed.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "app/bench/exchange_speed.h"
#include "linn/base/context.h"
#include "linn/metrics/median.h"
#include "linn/nn/operation_count.h"
#include "linn/recommend/linn/fold_recommender.h"
#include "linn/recommend/linn/fold_step.h"
#include "linn/recommend/linn/sharded_fold_step.h"

namespace linn::app {
namespace {

constexpr std::size_t kItems = 3416;
constexpr std::size_t kHistories = 32;
constexpr std::size_t kLongest = 200;
constexpr std::size_t kQueuedSteps = 100;  // on a device, between two times
constexpr double kLikes = 0.575;           // the share of ML-1M's ratings from 4 on

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

LinnRecommenderOptions options_of(const FoldSpeedCase& speed_case) {
  LinnRecommenderOptions options = linn_fold_preset({1'000'000, 6040, kItems}, speed_case.width);
  if (speed_case.mlp_product) options.network.and_structure = Structure::kMlpProduct;
  options.history = kLongest;
  if (!speed_case.laws) options.law_weight = 0.0F;
  return options;
}

std::vector<Event> random_events(std::size_t count, Random& random) {
  std::vector<Event> events(count);
  for (Event& event : events) {
    const double u = random.uniform();  // few items have most of the ratings
    event = {static_cast<ItemId>(kItems * u * u), random.chance(kLikes)};
  }
  return events;
}

// Half of ML-1M's stretches are full; the others are of all lengths.
std::vector<std::vector<Event>> random_histories(Random& random) {
  std::vector<std::vector<Event>> histories;
  for (std::size_t i = 0; i < kHistories; ++i) {
    histories.push_back(random_events(i % 2 == 0 ? kLongest + 1 : 20 + random.below(kLongest - 20), random));
  }
  return histories;
}

}  // namespace

namespace {

// What the steps of a case need.
struct FoldBench {
  FoldBench(const FoldSpeedCase& speed_case, Random& random)
      : options(options_of(speed_case)),
        network(options.network),
        variables("variables", kItems, speed_case.width),
        step_options(logic_step_options(options, options.dropout)) {
    network.initialize_linear(random);
    variables.initialize_normal(random, options.init);
    optimizer.emplace(options.optimizer, network.parameters(), std::vector<EmbeddingTable*>{&variables});
    for (HistoryBatch& batch : batches) {
      histories.push_back(random_histories(random));
      for (const auto& events : histories.back()) batch.stretches.push_back({0, events});
    }
  }

  LinnRecommenderOptions options;
  LogicNetwork network;
  EmbeddingTable variables;
  LogicStepOptions step_options;
  std::optional<Optimizer> optimizer;
  std::vector<std::vector<std::vector<Event>>> histories;
  std::vector<HistoryBatch> batches = std::vector<HistoryBatch>(4);
};

}  // namespace

FoldSpeedResult measure_fold_step(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed,
                                  TrainingDevice* device) {
  Random random(seed);
  ThreadPool pool(speed_case.threads);
  FoldBench bench(speed_case, random);
  const std::vector<HistoryBatch>& batches = bench.batches;
  const LogicNetwork& network = bench.network;
  const LogicStepOptions& step_options = bench.step_options;
  FoldStep step(bench.network, bench.variables, kItems, *bench.optimizer, pool, step_options,
                bench.options.event_dropout, device);

  const auto needed = [&] {
    const auto targets = static_cast<double>(step.plan().roots.size());
    const auto d = static_cast<double>(speed_case.width);
    const double pair = d + static_cast<double>(network.hidden(Gate::kAnd));  // product and hidden units
    const double choice = targets * kItems * pair + (targets + kItems) * d * pair;
    return training_operations(step.plan(), network, &step_options.regularizers) + 6.0 * choice;
  };
  const std::size_t repeats = device != nullptr ? kQueuedSteps : 1;
  const auto run = [&](std::size_t first) {
    if (device == nullptr) {
      step.run(batches[first % batches.size()], random);
      return;
    }
    for (std::size_t i = 0; i < repeats; ++i) step.queue(batches[(first + i) % batches.size()], random);
    step.finish();
  };
  for (std::size_t i = 0; i < batches.size(); ++i) run(i);  // the largest one allocates
  double operations = 0.0;
  std::vector<double> rates;
  const auto start = Clock::now();
  for (std::size_t i = 0; i < 3 || seconds_since(start) < seconds; ++i) {
    const auto before = Clock::now();
    run(i);
    const double time = seconds_since(before) / static_cast<double>(repeats);
    operations += needed();
    rates.push_back(needed() / time);
  }
  FoldSpeedResult result;
  result.gflop = operations / static_cast<double>(rates.size()) * 1e-9;
  result.seconds = 1e9 * result.gflop / median(std::move(rates));
  std::vector<double> plan_times;
  for (std::size_t i = 0; i < 3; ++i) {
    const auto before = Clock::now();
    step.plan_batch(batches[i], random);
    plan_times.push_back(seconds_since(before));
  }
  result.plan_seconds = median(std::move(plan_times));
  return result;
}

ExchangeResult measure_fold_exchange(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed,
                                     ProcessGroup& processes) {
  Random random(seed);
  ThreadPool pool(speed_case.threads);
  FoldBench bench(speed_case, random);
  Shards shards(shards_for(processes), processes, pool);
  ShardedFoldStep step(bench.network, bench.variables, kItems, *bench.optimizer, shards, bench.step_options,
                       bench.options.event_dropout);
  std::size_t number = 0;
  const auto run = [&] {
    step.run(bench.batches[number++ % bench.batches.size()], random);
    return step.variable_gradients().rows.size();
  };
  ExchangeResult result = measure_exchange(run, shards, seconds, processes);
  result.modules = bench.network.parameters().values().size();
  result.width = speed_case.width;
  return result;
}

std::vector<FoldSpeedCase> fold_speed_cases(std::size_t threads) {
  return {{64, false, false, threads},
          {64, true, false, threads},
          {64, false, true, threads},
          {128, false, false, threads}};
}

FoldSpeedResult measure_fold_query(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed) {
  Context context(seed, speed_case.threads);
  InteractionData data;
  for (std::size_t i = 0; i < kItems; ++i) data.items.intern(std::to_string(i + 1));
  const LinnRecommenderOptions options = options_of(speed_case);
  FoldRecommender model(options, Histories(data), context);
  model.prepare_for_queries(context.pool());
  Random random(seed);
  std::vector<float> scores(kItems);
  std::vector<double> times;
  const auto start = Clock::now();
  while (times.size() < 3 || seconds_since(start) < seconds) {
    const std::vector<Event> history = random_events(kLongest, random);
    const auto before = Clock::now();
    model.score_all({std::nullopt, history}, scores, context.pool());
    times.push_back(seconds_since(before));
  }
  const auto d = static_cast<double>(speed_case.width);
  // Each event is projected and takes a gate; dislikes are negated.
  const auto hidden = static_cast<double>(model.network().hidden(Gate::kOr));
  const double event = 3.0 * d * hidden + 2.0 * (1.0 - kLikes) * d * d;
  return {2e-9 * (kLongest * event + kItems * d), median(std::move(times)), 0.0};
}

}  // namespace linn::app
