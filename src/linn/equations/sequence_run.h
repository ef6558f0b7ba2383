// Expressions as token sequences, and their forward and backward pass through a sequence network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "linn/equations/sequence_network.h"
#include "linn/layers/dropout.h"
#include "linn/layers/sequence_batch.h"
#include "linn/logic/normal_form.h"
#include "linn/nn/embedding.h"

namespace linn {

// Symbols come first; variable v is the token kSymbols + v.
enum class Symbol : std::uint32_t { kTrue, kFalse, kNot, kAnd, kOr, kOpening, kClosing };
inline constexpr std::uint32_t kSymbols = 7;

// Expressions as sequences of tokens, one after the other: sequence i has lengths[i] tokens, at least one.
//
// The tokens of a normal form are those of its text in the authors' notation, in which ~593^924v~29 is NOT 593 AND 924
// OR NOT 29: a DNF has no parentheses, since AND binds tighter, and a CNF has them around clauses of several literals.
struct TokenSequences {
  std::vector<std::uint32_t> tokens;
  std::vector<std::uint32_t> lengths;

  std::size_t size() const { return lengths.size(); }
  void clear() {
    tokens.clear();
    lengths.clear();
  }
  void add(const NormalForm& form);
};

// Keeps its memory between batches. The score of a sequence does not depend on the rest of the batch.
class SequenceRun {
 public:
  // Writes scores in the order of the sequences. With a generator, applies dropout to the vectors that enter the
  // network.
  void forward(const SequenceNetwork& network, const EmbeddingTable& table, const TokenSequences& sequences,
               std::span<float> scores, float dropout = 0.0F, Random* random = nullptr);

  // Must follow forward() with the same network. Adds to the gradients of the parameters; row i of token_gradients() is
  // the gradient of token tokens()[i].
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
