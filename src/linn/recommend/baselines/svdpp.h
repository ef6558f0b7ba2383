// SVD++ (Koren, 2008): beside a vector of the user's own, the sum of what the items of the history say about the user.
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
  void backward(ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                const ConstMatrixView& dq, const MatrixView& dx, Memory& memory) const override;
};

std::unique_ptr<const RecommenderKind> svdpp_kind();

}  // namespace linn
