// One training step of a sequence network: look up, read, loss, back, update.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/equations/sequence_run.h"
#include "linn/layers/embedding_lookup.h"
#include "linn/optim/optimizer.h"

namespace linn {

class SequenceStep {
 public:
  // All must outlive the step. The optimizer must be bound to the network's parameters and, as its first table, to the
  // tokens.
  SequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, ThreadPool& pool, float dropout,
               double label_noise);

  // Returns the cross-entropy, summed over the batch.
  double run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows, std::span<const float> labels,
             Random& random);

 private:
  // The batch is always cut into the same parts, each with gradients of its own that are added up in order: so the
  // number of threads does not change a bit of the result.
  static constexpr std::size_t kShards = 8;

  struct Shard {
    ParameterSet parameters;  // a copy of the network's, with gradients of this shard
    TokenSequences sequences;
    std::vector<float> labels, scores, d_scores;
    SequenceRun run;
    Random random{0};
    double loss = 0.0;
  };

  void fill(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows, std::span<const float> labels,
            Random& random);
  void catch_up();
  void compute(Shard& shard) const;

  SequenceNetwork& network_;
  EmbeddingTable& tokens_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  float dropout_;
  double label_noise_;
  std::array<Shard, kShards> shards_;
  std::vector<std::uint32_t> met_;  // the distinct tokens of the batch
  RowGradients gradients_;
};

}  // namespace linn
