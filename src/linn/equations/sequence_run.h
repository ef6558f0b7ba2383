// One pass of token sequences through a sequence network: lookup, scores, and back.
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

// Keeps its memory between batches. The score of a sequence does not depend on the rest of the batch.
class SequenceRun {
 public:
  // Scores are in the order of the sequences. With a generator, dropout is applied to the vectors as they enter the
  // network.
  void forward(const SequenceNetwork& network, const EmbeddingTable& table, const TokenSequences& sequences,
               std::span<float> scores, float dropout = 0.0F, Random* random = nullptr);

  // Follows forward with the same network. Adds to the gradients of the parameters; row i of token_gradients() belongs
  // to the token tokens()[i].
  void backward(const SequenceNetwork& network, ParameterGradients& gradients, std::span<const float> d_scores);

  std::span<const std::uint32_t> tokens() const { return tokens_; }
  ConstMatrixView token_gradients() const { return dx_.view(); }

 private:
  SequenceBatch batch_;
  std::vector<std::uint32_t> tokens_;  // packed
  Matrix x_, dx_, scores_, d_scores_;
  Dropout dropout_{0.0};
  Dropout::Cache dropout_cache_;
  SequenceNetwork::Cache cache_;
};

}  // namespace linn
