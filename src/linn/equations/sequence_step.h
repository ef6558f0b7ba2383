// One training step of a sequence network: lookup, forward, loss, backward, update.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/equations/sequence_run.h"
#include "linn/layers/embedding_lookup.h"
#include "linn/optim/optimizer.h"
#include "linn/train/shards.h"

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

  // The parts of run(): read() finds the tokens of the batch, which must be up to date before compute() leaves the
  // gradients, and returns the cross-entropy.
  void read(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows, std::span<const float> labels,
            Random& random);
  std::span<const std::uint32_t> tokens() const { return distinct_; }
  double compute();
  const ParameterGradients& parameter_gradients() const { return gradients_; }
  SparseGradient token_gradients() const { return {token_gradients_.rows(), token_gradients_.values().data}; }

 private:
  // The batch is always cut into the same number of parts, each with its own gradients, which are added in order, so
  // that the result does not depend on the number of threads.
  struct Part {
    explicit Part(const SequenceNetwork& network) : gradients(network.parameters()) {}

    ParameterGradients gradients;
    TokenSequences sequences;
    std::vector<float> labels, scores, d_scores;
    SequenceRun run;
    Random random{0};
    double loss = 0.0;
  };

  void compute(Part& part) const;

  SequenceNetwork& network_;
  EmbeddingTable& tokens_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  float dropout_;
  double label_noise_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> distinct_;  // tokens of the batch
  ParameterGradients gradients_;
  RowGradients token_gradients_;
};

// The same step in shards (train/shards.h).
class ShardedSequenceStep {
 public:
  ShardedSequenceStep(SequenceNetwork& network, EmbeddingTable& tokens, Optimizer& optimizer, Shards& shards,
                      float dropout, double label_noise);
  ShardedSequenceStep(const ShardedSequenceStep&) = delete;
  ShardedSequenceStep& operator=(const ShardedSequenceStep&) = delete;

  double run(std::span<const NormalForm> forms, std::span<const std::uint32_t> rows, std::span<const float> labels,
             Random& random);

 private:
  EmbeddingTable& tokens_;
  Optimizer& optimizer_;
  Shards& shards_;
  std::vector<std::unique_ptr<SequenceStep>> steps_;  // of shards of this process
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint32_t> rows_;
  ParameterGradients gradients_;
};

}  // namespace linn
