// Additive attention of one query over the elements of a sequence, as in NARM (Li et al., 2017) and STAMP (Liu et al.,
// 2018).
//
// NARM's query is the last state, without a bias; STAMP's is the last item and the mean of the session side by side,
// with a bias. Unlike Bahdanau et al. (2015), both use a sigmoid and do not normalise the weights.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "linn/layers/layer.h"
#include "linn/layers/linear.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

class AdditiveAttention {
 public:
  AdditiveAttention(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t query_inputs,
                    std::size_t size, bool bias = true);

  struct Cache {
    Matrix activations;            // packed: s
    Matrix queries;                // one row per sequence
    AlignedArray<float> weights;   // packed: α
    AlignedArray<float> dweights;  // packed
    Matrix dactivations;
    Matrix dqueries;
    Linear::Cache keys_cache;
    Linear::Cache queries_cache;
  };

  // h is packed; q and y have one row per sequence.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& h,
               const ConstMatrixView& q, const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& h, const ConstMatrixView& q, const ConstMatrixView& dy, const MatrixView& dh,
                const MatrixView& dq, Cache& cache) const;

 private:
  std::size_t size_;
  Linear keys_;     // W1, without bias
  Linear queries_;  // W2 and b
  std::size_t vector_;
};

}  // namespace linn
