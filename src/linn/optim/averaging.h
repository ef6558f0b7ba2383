// Averages of a model's weights over the course of a training, which often generalise better than the last ones.
//
//   WeightAverage average(AverageKind::kMean, 0, parameters, {&items});
//   at the end of each late epoch:  optimizer.flush(pool);  average.add_snapshot(pool);
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

enum class AverageKind : std::uint8_t {
  kMean,  // of all snapshots (stochastic weight averaging: Izmailov et al., 2018)
  // decay·average + (1 - decay)·snapshot. The decay is (n - 1) / (n + 1) at most for the nth snapshot: the first ones,
  // of a model that knew little, count in proportion to their number and are soon forgotten.
  kExponential,
};

// Every snapshot reads all of the tables, which must be up to date (Optimizer::flush): something for the end of an
// epoch or every few hundred steps rather than for every step.
class WeightAverage {
 public:
  // Bound to the parameters and tables, which must outlive it and keep their sizes. The decay is at least 0 and below
  // 1 (else InputError) and of no meaning for a mean.
  WeightAverage(AverageKind kind, double decay, ParameterSet& parameters,
                const std::vector<EmbeddingTable*>& tables = {});

  // Takes the present weights in. The first snapshot is the average by itself.
  void add_snapshot(ThreadPool& pool);
  std::uint64_t snapshots() const { return snapshots_[0]; }

  // Exchanges the model's weights with the average, and back again at the next call. Without a snapshot nothing
  // happens. No snapshot may be added and no step made in between.
  void swap(ThreadPool& pool);
  bool swapped() const { return swapped_; }

  // All of the state, by name, for saving and restoring. Not while it is swapped in.
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

  AverageKind kind_;
  double decay_;
  ParameterSet& parameters_;
  std::vector<Part> parts_;
  std::uint32_t snapshots_[1] = {0};  // an array, so that it can be shown as a span
  bool swapped_ = false;
};

}  // namespace linn
