// From the states of histories to the loss of choosing items, and back: what PairTruth and CatalogueSoftmax do, for an
// AND with structure product.
#pragma once

#include <vector>

#include "linn/cuda/blas.h"
#include "linn/cuda/product.h"
#include "linn/train/training_device.h"

namespace linn::cuda {

// Targets, in blocks of so many scores at most.
inline constexpr std::size_t kMostScores = std::size_t{1} << 27U;

class ChoicePass {
 public:
  ChoicePass(const Stream& stream, bool tf32) : stream_(stream), blas_(stream, tf32) {}

  // Adds what it needs to the staging memory; the choice must last until that is sent.
  void add(const CatalogueChoice& choice, Staging& staging);

  // After the forward pass of `m`, and send(). Writes the loss of each root to `values`. The gradients of the
  // parameters are added to `gradients`; null: not wanted.
  void run(const Pass& m, const float* table, const Staging& staging, double* values, const Weights* gradients,
           std::size_t most_scores = kMostScores);

  // After run(): by root, and by row, of the chosen items.
  const float* d_roots() const { return d_states_.data(); }
  const float* d_items() const { return d_items_.data(); }
  u32 chosen() const { return chosen_; }
  const u32* rows(const Staging& staging) const { return staging.at<u32>(rows_at_); }

 private:
  const Stream& stream_;
  Blas blas_;
  SumOfProducts sums_;
  u32 count_ = 0, chosen_ = 0, draws_ = 0;
  double label_noise_ = 0.0, noise_items_ = 0.0;
  std::size_t rows_at_ = 0, targets_at_ = 0, draws_at_ = 0, log_counts_at_ = 0, starts_at_ = 0, entries_at_ = 0;
  std::vector<u32> starts_, entries_, fill_;
  Buffer<float> states_, d_states_, queries_, d_queries_, keys_, d_keys_, drawn_, d_drawn_, scores_, factors_, d_items_;
};

}  // namespace linn::cuda
