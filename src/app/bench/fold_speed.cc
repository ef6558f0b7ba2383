#include "app/bench/fold_speed.h"

#include <algorithm>
#include <chrono>

#include "linn/base/context.h"
#include "linn/metrics/median.h"
#include "linn/nn/operation_count.h"
#include "linn/recommend/linn/fold_recommender.h"
#include "linn/recommend/linn/fold_step.h"

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

FoldSpeedResult measure_fold_step(const FoldSpeedCase& speed_case, double seconds, std::uint64_t seed,
                                  TrainingDevice* device) {
  Random random(seed);
  ThreadPool pool(speed_case.threads);
  const LinnRecommenderOptions options = options_of(speed_case);
  LogicNetwork network(options.network);
  network.initialize_linear(random);
  EmbeddingTable variables("variables", kItems, speed_case.width);
  variables.initialize_normal(random, options.init);
  Optimizer optimizer(options.optimizer, network.parameters(), {&variables});
  const LogicStepOptions step_options = logic_step_options(options, options.dropout);
  FoldStep step(network, variables, kItems, optimizer, pool, step_options, options.event_dropout, device);

  constexpr std::size_t kBatches = 4;
  std::vector<std::vector<std::vector<Event>>> histories;
  std::vector<HistoryBatch> batches(kBatches);
  for (HistoryBatch& batch : batches) {
    histories.push_back(random_histories(random));
    for (const auto& events : histories.back()) batch.stretches.push_back({0, events});
  }
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
      step.run(batches[first % kBatches], random);
      return;
    }
    for (std::size_t i = 0; i < repeats; ++i) step.queue(batches[(first + i) % kBatches], random);
    step.finish();
  };
  for (std::size_t i = 0; i < kBatches; ++i) run(i);  // the largest one allocates
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
