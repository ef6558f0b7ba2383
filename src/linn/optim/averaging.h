// The exponential moving average of a model's weights, which often generalises better than the last weights.
//
//   WeightAverage average(0.9, parameters, {&items});
//   at the end of each epoch:  optimizer.flush(pool);  average.add_snapshot(pool);
//   average.swap(pool);  ... evaluate, save ...  average.swap(pool);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/nn/embedding.h"
#include "linn/nn/parameters.h"

namespace linn {

// average = decay·average + (1 - decay)·snapshot. The decay is at most (n - 1) / (n + 1) for the nth snapshot, so that
// the first ones, of a model that has learned little, count in proportion to their number and are soon forgotten.
//
// A snapshot reads whole tables, which must be up to date (Optimizer::flush): take one at the end of an epoch rather
// than in every step.
class WeightAverage {
 public:
  // Binds to the parameters and tables, which must outlive it and keep their sizes. Throws InputError unless the decay
  // is at least 0 and below 1.
  WeightAverage(double decay, ParameterSet& parameters, const std::vector<EmbeddingTable*>& tables = {});

  // Adds the current weights to the average. The first snapshot is the average.
  void add_snapshot(ThreadPool& pool);

  // Swaps the model's weights and the average, and back at the next call. Does nothing before the first snapshot. While
  // swapped, add no snapshot and make no step.
  void swap(ThreadPool& pool);
  bool swapped() const { return swapped_; }

  // The whole state, by name, for saving and restoring. Not while swapped.
  struct FloatState {
    std::string name;
    std::span<float> values;
  };
  std::vector<FloatState> float_state();
  std::span<std::uint32_t> snapshot_count() { return snapshots_; }

 private:
  struct Part {
    EmbeddingTable* table;  // null for the parameters
    AlignedArray<float> average;
  };
  std::span<float> weights_of(const Part& part);
  template <class Work>
  void for_all_blocks(ThreadPool& pool, const Work& work);

  double decay_;
  ParameterSet& parameters_;
  std::vector<Part> parts_;
  std::uint32_t snapshots_[1] = {0};  // an array so that it can be exposed as a span
  bool swapped_ = false;
};

}  // namespace linn
