// STAMP (Liu et al., 2018): attention over the history from its last event and its mean, combined with the last event.
#pragma once

#include <cstddef>
#include <memory>

#include "linn/layers/additive_attention.h"
#include "linn/layers/linear.h"
#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

struct StampCache {
  Matrix query;     // the last event and the mean side by side
  Matrix attended;  // m_a
  Matrix memory;    // h_s
  Matrix last;      // h_t
  Matrix dmemory;
  Matrix dlast;
  Matrix dattended;
  Matrix dquery;
  Matrix dlast_event;
  AdditiveAttention::Cache attention;
  Linear::Cache memory_cache;
  Linear::Cache last_cache;
};

class StampEncoder : public CachedEncoder<StampCache> {
 public:
  StampEncoder(ParameterSet& parameters, std::size_t width);

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x, Random* random,
               const MatrixView& q, Memory& memory) const override;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& dq, const MatrixView& dx,
                Memory& memory) const override;

 private:
  std::size_t width_;
  AdditiveAttention attention_;
  Linear memory_;
  Linear last_;
};

std::unique_ptr<const RecommenderKind> stamp_kind();

}  // namespace linn
