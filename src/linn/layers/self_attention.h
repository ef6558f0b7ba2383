// Scaled dot-product attention with several heads among the elements of a sequence (Vaswani et al., 2017).
//
// Queries may come from another matrix than keys and values, of the same sequences: SASRec (Kang & McAuley, 2018)
// normalises the queries only. Otherwise both are the same matrix, and the caller adds the two gradients.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "linn/base/random.h"
#include "linn/layers/dropout.h"
#include "linn/layers/layer.h"
#include "linn/layers/linear.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

struct SelfAttentionOptions {
  std::size_t heads = 1;          // a divisor of the size
  bool causal = true;             // an element attends to itself and to those before it only
  bool bias = true;               // of the projections
  bool output_projection = true;  // SASRec has none
  double dropout = 0;             // of the attention weights
};

class SelfAttention {
 public:
  SelfAttention(ParameterSet& parameters, const std::string& name, std::size_t size,
                const SelfAttentionOptions& options = {});

  // All matrices are sequence by sequence, not packed: every sequence is one block of rows.
  struct Cache {
    Matrix query_inputs;
    Matrix inputs;
    Matrix queries;
    Matrix keys;
    Matrix values;
    AlignedArray<float> weights;  // length × length for every sequence and head
    AlignedArray<float> dropped;  // the weights after dropout
    Matrix context;
    Matrix outputs;
    Matrix doutputs;
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
  void backward(ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& dy,
                const MatrixView& dquery_x, const MatrixView& dx, Cache& cache) const;

 private:
  std::size_t size_;
  std::size_t heads_;
  std::size_t head_size_;
  bool causal_;
  Dropout dropout_;
  Linear query_;
  Linear key_;
  Linear value_;
  std::optional<Linear> output_;
};

}  // namespace linn
