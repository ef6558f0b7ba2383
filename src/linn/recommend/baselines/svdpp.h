// SVD++ (Koren, 2008): a vector of the user plus a sum of vectors of the items in the history.
#pragma once

#include <cstddef>
#include <memory>

#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

struct SvdppCache {};

// The implicit part: q = n^-½ Σ y_t over the n events of the history.
class SvdppEncoder : public CachedEncoder<SvdppCache> {
 public:
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& q, Memory& memory) const override;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override;
};

std::unique_ptr<const RecommenderKind> svdpp_kind();

}  // namespace linn
