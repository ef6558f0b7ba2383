// GRU4Rec (Hidasi et al., 2016): the last state of a gated recurrent unit over the history.
#pragma once

#include <cstddef>
#include <memory>

#include "linn/layers/dropout.h"
#include "linn/layers/gru.h"
#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

struct Gru4RecCache {
  Matrix h;
  Matrix dh;
  Matrix dlast;
  Gru::Cache gru;
  Dropout::Cache dropout;
};

class Gru4RecEncoder : public CachedEncoder<Gru4RecCache> {
 public:
  Gru4RecEncoder(ParameterSet& parameters, std::size_t width, double dropout);

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& q, Memory& memory) const override;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override;

 private:
  Gru gru_;
  Dropout dropout_;
};

std::unique_ptr<const RecommenderKind> gru4rec_kind();

}  // namespace linn
