// SASRec (Kang & McAuley, 2018): blocks of causal self-attention over the history; the last position is the result.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "linn/layers/dropout.h"
#include "linn/layers/layer_norm.h"
#include "linn/layers/linear.h"
#include "linn/layers/self_attention.h"
#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

struct SasRecOptions {
  std::size_t blocks = 2;
  std::size_t heads = 1;  // a divisor of the width
  // Positions are counted from the last event, so that the newest always has the same one; events further back share
  // the last position.
  std::size_t positions = 10;
  double dropout = 0;
};

// x + dropout(attention(norm(x))), then x + dropout(W2·dropout(relu(W1·norm(x) + b1)) + b2).
class SasRecBlock {
 public:
  SasRecBlock(ParameterSet& parameters, const std::string& name, std::size_t width, const SasRecOptions& options);

  struct Cache {
    Matrix normalized;
    Matrix attended;  // x + attention: the input of the second half
    Matrix normalized_attended;
    Matrix hidden;
    Matrix dropped_hidden;
    Matrix branch;  // the branch of a half, or its gradient
    Matrix dhidden;
    Matrix dnormalized;
    Matrix dkeys;
    Matrix dattended;
    LayerNorm::Cache attention_norm;
    LayerNorm::Cache hidden_norm;
    SelfAttention::Cache attention;
    Linear::Cache inner;
    Linear::Cache outer;
    Dropout::Cache attention_dropout;
    Dropout::Cache hidden_dropout;
    Dropout::Cache output_dropout;
  };

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& y, Cache& cache) const;
  // dx may be dy.
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& dy, const MatrixView& dx, Cache& cache) const;

 private:
  std::size_t width_;
  LayerNorm attention_norm_;
  SelfAttention attention_;
  LayerNorm hidden_norm_;
  Linear inner_;
  Linear outer_;
  Dropout dropout_;
};

struct SasRecCache {
  std::vector<SasRecBlock::Cache> blocks;
  std::vector<Matrix> states;  // the input of each block, and the output of the last one
  Matrix dstate;
  Matrix last;
  Matrix dlast;
  Dropout::Cache dropout;
  LayerNorm::Cache norm;
};

class SasRecEncoder : public CachedEncoder<SasRecCache> {
 public:
  SasRecEncoder(ParameterSet& parameters, std::size_t width, const SasRecOptions& options);

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& q, Memory& memory) const override;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override;

 private:
  std::size_t place(const SequenceBatch& batch, std::size_t sequence, std::size_t step) const;

  std::size_t width_;
  std::size_t positions_;
  std::size_t position_vectors_;
  std::vector<SasRecBlock> blocks_;
  LayerNorm norm_;
  Dropout dropout_;
};

std::unique_ptr<const RecommenderKind> sasrec_kind();

}  // namespace linn
