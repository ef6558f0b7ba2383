// NARM (Li et al., 2017): the last state of a recurrent encoder summarises the whole history, and attention from that
// state over all states captures its main purpose.
#pragma once

#include <cstddef>
#include <memory>

#include "linn/layers/additive_attention.h"
#include "linn/layers/dropout.h"
#include "linn/layers/gru.h"
#include "linn/layers/linear.h"
#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

struct NarmCache {
  Matrix h;
  Matrix last;      // the global part
  Matrix local;     // the attended part
  Matrix combined;  // both side by side, after dropout
  Matrix dcombined;
  Matrix dlocal;
  Matrix dlast;
  Matrix dh;
  Gru::Cache gru;
  AdditiveAttention::Cache attention;
  Dropout::Cache dropout;
  Linear::Cache decoder;
};

class NarmEncoder : public CachedEncoder<NarmCache> {
 public:
  NarmEncoder(ParameterSet& parameters, std::size_t width, double dropout);

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& q, Memory& memory) const override;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override;

 private:
  std::size_t width_;
  Gru gru_;
  AdditiveAttention attention_;
  Dropout dropout_;
  Linear decoder_;
};

std::unique_ptr<const RecommenderKind> narm_kind();

}  // namespace linn
