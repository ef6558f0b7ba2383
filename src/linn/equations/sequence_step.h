// One training step of a sequence network: lookup, forward, loss, backward, update.
#pragma once

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
  // All arguments must outlive the step. The optimizer must be bound to the network's parameters, with the tokens as
  // its first table.
  SequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, ThreadPool& pool, float dropout,
               double label_noise);

  // One step on the given rows of forms and labels. Returns the cross-entropy, summed over the batch.
  double run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows, std::span<const float> labels,
             Random& random);

 private:
  // The batch is always cut into this many shards, each with its own gradients, which are added in order, so that the
  // result does not depend on the number of threads.
  static constexpr std::size_t kShards = 8;

  struct Shard {
    explicit Shard(const SequenceNetwork& network) : gradients(network.parameters()) {}

    ParameterGradients gradients;
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
  std::vector<Shard> shards_;
  std::vector<std::uint32_t> distinct_;  // tokens of the batch
  ParameterGradients gradients_;
  RowGradients token_gradients_;
};

}  // namespace linn
