#include "linn/optim/averaging.h"

#include <algorithm>
#include <cassert>

#include "linn/base/error.h"
#include "linn/kernels/update_kernels.h"

namespace linn {

WeightAverage::WeightAverage(double decay, ParameterSet& parameters, const std::vector<EmbeddingTable*>& tables)
    : decay_(decay), parameters_(parameters) {
  if (!(decay >= 0 && decay < 1)) throw InputError("the decay of an average must be at least 0 and below 1");
  parts_.reserve(tables.size() + 1);
  parts_.push_back({nullptr, AlignedArray<float>(parameters.values().size())});
  for (EmbeddingTable* table : tables) parts_.push_back({table, AlignedArray<float>(table->values().size())});
}

std::span<float> WeightAverage::weights_of(const Part& part) {
  return part.table != nullptr ? part.table->values() : parameters_.values();
}

template <class Work>
void WeightAverage::for_all_blocks(ThreadPool& pool, const Work& work) {
  constexpr std::size_t kBlock = 16384;
  for (Part& part : parts_) {
    const std::span<float> weights = weights_of(part);
    assert(weights.size() == part.average.size());
    pool.run((weights.size() + kBlock - 1) / kBlock, [&](std::size_t block, std::size_t) {
      const std::size_t begin = block * kBlock;
      work(std::min(kBlock, weights.size() - begin), weights.data() + begin, part.average.data() + begin);
    });
  }
}

void WeightAverage::add_snapshot(ThreadPool& pool) {
  assert(!swapped_);
  const std::uint32_t count = ++snapshots_[0];
  if (count == 1) {
    for_all_blocks(pool,
                   [](std::size_t size, const float* weights, float* average) { std::copy_n(weights, size, average); });
    return;
  }
  const double n = count;
  const auto share = static_cast<float>(1.0 - std::min(decay_, (n - 1.0) / (n + 1.0)));
  for_all_blocks(pool, [share](std::size_t size, const float* weights, float* average) {
    move_towards(size, share, weights, average);
  });
}

void WeightAverage::swap(ThreadPool& pool) {
  if (snapshots_[0] == 0) return;
  for_all_blocks(pool, [](std::size_t size, float* weights, float* average) {
    std::swap_ranges(weights, weights + size, average);
  });
  swapped_ = !swapped_;
}

std::vector<WeightAverage::FloatState> WeightAverage::float_state() {
  std::vector<FloatState> state;
  state.reserve(parts_.size());
  for (Part& part : parts_) {
    const std::string name = part.table != nullptr ? "average." + part.table->name() : "average";
    state.push_back({name, part.average.span()});
  }
  return state;
}

}  // namespace linn
