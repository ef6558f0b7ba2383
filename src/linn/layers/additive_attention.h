// Additive attention of elements of a sequence over those up to themselves, as in NARM (Li et al., 2017) and STAMP (Liu
// et al., 2018), where the last element attends to all.
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
    Matrix keys;                  // packed: h·W1
    Matrix queries;               // one row per query: q·W2 + b
    Matrix activations;           // s of one element and all its queries
    AlignedArray<float> weights;  // α of every pair of an element and a query
    AlignedArray<float> g;
    Matrix dkeys;
    Matrix dqueries;
    Linear::Cache keys_cache;
    Linear::Cache queries_cache;
  };

  // h is packed; q and y have one row per element of `queries`, which attends to the elements up to it.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const SequenceElements& queries,
               const ConstMatrixView& h, const ConstMatrixView& q, const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const SequenceElements& queries, const ConstMatrixView& h, const ConstMatrixView& q,
                const ConstMatrixView& dy, const MatrixView& dh, const MatrixView& dq, Cache& cache) const;

 private:
  std::size_t size_;
  Linear keys_;     // W1, without bias
  Linear queries_;  // W2 and b
  std::size_t vector_;
};

}  // namespace linn
