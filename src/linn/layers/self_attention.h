// Causal scaled dot-product attention with several heads (Vaswani et al., 2017) as in SASRec (Kang & McAuley, 2018): an
// element attends to itself and to those before it, and the output is not projected.
//
// Queries and keys may come from different matrices of the same sequences. Where both are the same matrix, the caller
// adds the two gradients.
#pragma once

#include <cstddef>
#include <string>

#include "linn/base/random.h"
#include "linn/layers/dropout.h"
#include "linn/layers/layer.h"
#include "linn/layers/linear.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

struct SelfAttentionOptions {
  std::size_t heads = 1;  // a divisor of the size
  double dropout = 0;     // of the attention weights
};

class SelfAttention {
 public:
  SelfAttention(ParameterSet& parameters, const std::string& name, std::size_t size,
                const SelfAttentionOptions& options = {});

  // All matrices are laid out sequence by sequence, not packed: every sequence is one block of rows.
  struct Cache {
    Matrix query_inputs;
    Matrix inputs;
    Matrix queries;
    Matrix keys;
    Matrix values;
    AlignedArray<float> weights;  // length × length for every sequence and head
    AlignedArray<float> dropped;  // the weights after dropout
    Matrix context;
    Matrix dcontext;
    Matrix dqueries;
    Matrix dkeys;
    Matrix dvalues;
    Matrix dinputs;
    Matrix dinputs_of_values;
    AlignedArray<float> dweights;
    AlignedArray<float> transposed;  // the keys or values of one sequence and head
    Linear::Cache linear;
    Dropout::Cache dropout;
  };

  std::size_t size() const { return size_; }

  // All matrices are packed. Without a generator there is no dropout.
  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& query_x,
               const ConstMatrixView& x, Random* random, const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& dy, const MatrixView& dquery_x, const MatrixView& dx, Cache& cache) const;

 private:
  std::size_t size_;
  std::size_t heads_;
  std::size_t head_size_;
  Dropout dropout_;
  Linear query_;
  Linear key_;
  Linear value_;
};

}  // namespace linn
