// Additive attention of one query over the elements of a sequence, as in NARM (Li et al., 2017) and STAMP (Liu et al.,
// 2018).
//
// NARM's query is the last state, its weights have no bias; STAMP's is the last item and the mean of the session side
// by side, with a bias. Both take the weights as they are; with a softmax this is the attention of Bahdanau et al.
// (2015), but for the sigmoid.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "linn/layers/layer.h"
#include "linn/layers/linear.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

struct AdditiveAttentionOptions {
  bool bias = true;
  bool softmax = false;  // over the elements of a sequence
};

class AdditiveAttention {
 public:
  AdditiveAttention(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t query_inputs,
                    std::size_t size, const AdditiveAttentionOptions& options = {});

  struct Cache {
    Matrix activations;            // packed: s
    Matrix queries;                // one row for every sequence
    AlignedArray<float> weights;   // packed: α
    AlignedArray<float> dweights;  // packed
    AlignedArray<float> sequence;  // the weights of one sequence
    Matrix dactivations;
    Matrix dqueries;
    Linear::Cache keys_cache;
    Linear::Cache queries_cache;
  };

  // h is packed; q and y have one row for every sequence.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& h,
               const ConstMatrixView& q, const MatrixView& y, Cache& cache) const;
  void backward(ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& h,
                const ConstMatrixView& q, const ConstMatrixView& dy, const MatrixView& dh, const MatrixView& dq,
                Cache& cache) const;

 private:
  std::size_t size_;
  bool softmax_;
  Linear keys_;     // W1, without bias
  Linear queries_;  // W2 and b
  std::size_t vector_;
};

}  // namespace linn
