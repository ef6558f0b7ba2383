// The softmax over a whole catalogue: the work of a training step on ML-1M, and of one with sampled negatives.
//
//   build/bench/catalogue_softmax_bench        prints the share of the machine's peak beside the time
#include <benchmark/benchmark.h>

#include <vector>

#include "linn/base/random.h"
#include "linn/kernels/peak.h"
#include "linn/recommend/protocol/catalogue_softmax.h"

namespace linn {
namespace {

// Arguments: targets, items, width, draws (0: the whole catalogue), threads.
void catalogue_softmax(benchmark::State& state) {
  const auto targets = static_cast<std::size_t>(state.range(0));
  const auto items = static_cast<std::size_t>(state.range(1));
  const auto width = static_cast<std::size_t>(state.range(2));
  const auto draws = static_cast<std::size_t>(state.range(3));
  const auto thread_count = static_cast<std::size_t>(state.range(4));
  Random random(1);
  const auto normal = [&](std::size_t size) {
    std::vector<float> values(size);
    for (float& value : values) value = static_cast<float>(0.3 * random.normal());
    return values;
  };
  const std::vector<float> queries = normal(targets * width);
  const std::vector<float> keys = normal(items * width);
  const std::vector<float> log_counts(draws, 0.0F);
  std::vector<std::uint32_t> chosen(targets);
  std::vector<std::uint32_t> drawn(draws);
  for (auto* list : {&chosen, &drawn}) {
    for (std::uint32_t& item : *list) item = static_cast<std::uint32_t>(random.below(items));
  }
  std::vector<float> dq(queries.size());
  std::vector<float> dk(keys.size());
  ThreadPool threads(thread_count);
  CatalogueSoftmax softmax(width);
  for (auto _ : state) {
    const ChoiceItems all = {items, keys.data(), nullptr};
    const ChoiceTargets wanted = {targets, queries.data(), chosen.data()};
    const ChoiceGradients gradients = {dq.data(), dk.data(), nullptr};
    if (draws == 0) {
      softmax.run(all, wanted, 0.0, 1.0F, gradients, threads);
    } else {
      softmax.run_sampled(all, {draws, drawn.data(), log_counts.data(), items}, wanted, 0.0, 1.0F, gradients, threads);
    }
  }
  // Three products: scores, gradients of the queries, gradients of the keys.
  const double operations = 6.0 * static_cast<double>(targets * (draws == 0 ? items : draws) * width);
  state.counters["gflops"] = benchmark::Counter(1e-9 * operations, benchmark::Counter::kIsIterationInvariantRate);
  state.counters["peak"] = measure_peak(thread_count).best();
}
BENCHMARK(catalogue_softmax)
    ->Args({12'000, 3416, 64, 0, 1})
    ->Args({12'000, 3416, 64, 0, 2})
    ->Args({12'000, 1682, 64, 0, 1})
    ->Args({6'000, 20'000, 64, 0, 1})
    ->Args({12'000, 63'000, 64, 4096, 1})
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace linn
