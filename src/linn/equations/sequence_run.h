// One pass of token sequences through a sequence network: looked up, read, scored, and back.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/equations/sequence_network.h"
#include "linn/equations/token_sequence.h"
#include "linn/layers/dropout.h"
#include "linn/layers/sequence_batch.h"
#include "linn/nn/embedding.h"

namespace linn {

// Keeps its memory between batches. The score of a sequence does not depend on what else is in the batch.
class SequenceRun {
 public:
  // The network must outlive the run. Scores come in the order of the sequences. With a generator, parts of the
  // vectors are dropped as they enter the network.
  void forward(const SequenceNetwork& network, const ParameterSet& parameters, const EmbeddingTable& table,
               const TokenSequences& sequences, std::span<float> scores, float dropout = 0.0F,
               Random* random = nullptr);

  // Adds to the gradients of the parameters. Afterwards gradients().row(i) belongs to the token tokens()[i].
  void backward(const SequenceNetwork& network, ParameterSet& parameters, std::span<const float> d_scores);

  std::span<const std::uint32_t> tokens() const { return tokens_; }
  ConstMatrixView gradients() const { return dx_.view(); }

 private:
  SequenceBatch batch_;
  std::vector<std::uint32_t> tokens_;  // packed
  Matrix x_, dx_, scores_, d_scores_;
  Dropout dropout_{0.0};
  Dropout::Cache dropout_cache_;
  SequenceNetwork::Cache cache_;
};

}  // namespace linn
