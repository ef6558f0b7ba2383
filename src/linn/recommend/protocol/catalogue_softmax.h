// The loss of choosing the liked item among all items, -log softmax, without ever holding targets x items.
//
//   s_ij = q_i · k_j + b_j      loss_i = log Σ_j exp(s_ij) - s_i,target(i)
//
// With label noise e, and p the probability of the target: -log((1 - e) p + e / items), as in ranking_loss.h.
//
// For large catalogues, run_sampled() estimates the partition from n items that were drawn with replacement, item j
// with probability q_j, and are shared by all targets:
//
//   Σ_j exp(s_ij) ≈ exp(s_i,target(i)) + Σ_draws j ≠ target(i) exp(s_ij - log(n q_j))
//
// The estimate is unbiased, since an item is drawn n q_j times on average.
//
// Scores may have a further part for pairs that a product cannot express: a hidden layer, see kernels/pair_relu.h,
//
//   s_ij = q_i · k_j + b_j + Σ_h u_h max(A_ih + B_jh, 0)
//
// Targets are cut into lanes that depend on their number alone. A lane sums its gradients of the keys in order, and the
// lanes are added in order, so the number of threads does not change a bit. A lane works on blocks of targets whose
// scores stay in the cache. Nothing is allocated once the largest batch has been seen.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"

namespace linn {

// The items to choose among.
struct ChoiceItems {
  std::size_t count = 0;
  const float* keys = nullptr;    // count x width
  const float* biases = nullptr;  // one per item; may be null
};

struct ChoiceTargets {
  std::size_t count = 0;
  const float* queries = nullptr;        // count x width
  const std::uint32_t* items = nullptr;  // the chosen item of each target: a row of the keys
};

// Items that were drawn to stand for a catalogue.
struct ChoiceDraws {
  std::size_t count = 0;
  const std::uint32_t* items = nullptr;  // rows of the keys
  const float* log_counts = nullptr;     // log(n q_j) of each
  std::size_t catalogue = 0;             // number of items in the catalogue, for the label noise
};

// All written, not added to.
struct ChoiceGradients {
  float* queries = nullptr;  // targets x width
  float* keys = nullptr;     // items x width
  float* biases = nullptr;   // may be null
};

// The hidden layer of the scores, and its gradients: all written, not added to.
struct ChoicePairs {
  std::size_t hidden = 0;          // units; 0: scores are products alone
  const float* targets = nullptr;  // A: targets x hidden
  const float* items = nullptr;    // B: items x hidden
  const float* weights = nullptr;  // u
  float* d_targets = nullptr;
  float* d_items = nullptr;
  float* d_weights = nullptr;
};

class CatalogueSoftmax {
 public:
  explicit CatalogueSoftmax(std::size_t width) : width_(width) {}

  // Returns the loss, summed over the targets. Gradients are those of the sum times `scale`.
  double run(const ChoiceItems& items, const ChoiceTargets& targets, double label_noise, float scale,
             const ChoiceGradients& gradients, ThreadPool& threads, const ChoicePairs& pairs = {});

  // The same with the estimated partition. `items` may be any part of the catalogue that has the targets and the draws;
  // the gradients of its other items are zero.
  double run_sampled(const ChoiceItems& items, const ChoiceDraws& draws, const ChoiceTargets& targets,
                     double label_noise, float scale, const ChoiceGradients& gradients, ThreadPool& threads,
                     const ChoicePairs& pairs = {});

 private:
  // The items over which the partition is summed, panel by panel.
  struct Summed {
    ChoiceItems items;
    const float* hidden = nullptr;           // their rows of B
    const std::uint32_t* numbers = nullptr;  // draws: their rows among all keys; null: all items, as they are
    std::size_t panels = 0;
  };

  struct Batch {
    const ChoiceItems& items;
    const ChoiceTargets& targets;
    Summed summed;
    double label_noise;
    double noise_items;  // the number of items among which a wrong like chooses
    float scale;
    const ChoiceGradients& gradients;
    const ChoicePairs& pairs;
    std::size_t block_rows;
  };

  // The gradients of the summed keys, those of their hidden units divided by u, and the loss.
  struct Lane {
    AlignedArray<float> keys;
    AlignedArray<float> hidden;
    AlignedArray<float> biases;
    double loss = 0.0;
  };

  // Working memory of a thread.
  struct Scratch {
    AlignedArray<float> scores;  // panel after panel, each block_rows rows
    AlignedArray<float> queries;
    AlignedArray<float> target_scores;
    AlignedArray<float> maxima;
    AlignedArray<double> sums;
  };

  double run_batch(const Batch& batch, ThreadPool& threads);
  void transpose_keys(const Batch& batch, ThreadPool& threads);
  void run_block(const Batch& batch, std::size_t begin, std::size_t end, bool first, Lane& lane, Scratch& scratch);
  void exclude_targets(const Batch& batch, std::size_t begin, std::size_t rows, Scratch& scratch) const;
  void add_hidden_sums(const Batch& batch, std::size_t begin, std::size_t rows, std::size_t panel, const float* shares,
                       float* scores, Lane& lane) const;
  void add_lanes(const Batch& batch, std::size_t lanes, ThreadPool& threads);
  static void finish_pairs(const Batch& batch);

  std::size_t width_;
  AlignedArray<float> transposed_;         // the summed keys: panel, width, item
  AlignedArray<float> transposed_hidden_;  // their rows of B: panel, hidden unit, item
  AlignedArray<float> factors_;            // by target: dloss/ds of the target, without its share in the partition
  std::vector<Lane> lanes_;
  std::vector<Scratch> scratch_;
  // Of draws only.
  AlignedArray<float> drawn_keys_;
  AlignedArray<float> drawn_hidden_;
  AlignedArray<float> drawn_biases_;
  std::vector<std::uint32_t> draws_by_item_;  // numbers of draws, ordered by item
};

}  // namespace linn
