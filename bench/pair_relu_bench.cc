// A hidden layer over all pairs of targets and items, block by block as CatalogueSoftmax calls it.
//
//   build/bench/pair_relu_bench        prints the time for each pair and hidden unit
#include <benchmark/benchmark.h>

#include <vector>

#include "linn/base/random.h"
#include "linn/kernels/pair_relu.h"

namespace linn {
namespace {

constexpr std::size_t kRows = 96;
constexpr std::size_t kItems = 256;
constexpr std::size_t kStride = kItems + 16;

std::vector<float> normal(std::size_t size) {
  Random random(size);
  std::vector<float> values(size);
  for (float& value : values) value = static_cast<float>(0.3 * random.normal());
  return values;
}

void count_pairs(benchmark::State& state, std::size_t hidden) {
  state.counters["each"] =
      benchmark::Counter(static_cast<double>(kRows * kItems * hidden),
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// Argument: hidden units.
void pair_relu_scores(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  const std::vector<float> a = normal(kRows * hidden);
  const std::vector<float> b = normal(hidden * kStride);
  const std::vector<float> u = normal(hidden);
  std::vector<float> scores(kRows * kStride, 0.0F);
  for (auto _ : state) {
    add_pair_relu({kRows, kItems, hidden}, a.data(), b.data(), kStride, u.data(), scores.data(), kStride);
  }
  count_pairs(state, hidden);
}
BENCHMARK(pair_relu_scores)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

void pair_relu_sums(benchmark::State& state) {
  const auto hidden = static_cast<std::size_t>(state.range(0));
  const std::vector<float> a = normal(kRows * hidden);
  const std::vector<float> b = normal(kItems * hidden);
  const std::vector<float> g = normal(kRows * kStride);
  std::vector<float> a_sums(a.size(), 0.0F);
  std::vector<float> b_sums(b.size(), 0.0F);
  for (auto _ : state) {
    add_pair_relu_sums({kRows, kItems, hidden}, a.data(), b.data(), g.data(), kStride, a_sums.data(), b_sums.data());
  }
  count_pairs(state, hidden);
}
BENCHMARK(pair_relu_sums)->Arg(64)->Arg(128)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace linn
