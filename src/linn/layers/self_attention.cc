#include "linn/layers/self_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "linn/kernels/activations.h"
#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {
namespace {

// The rows, the columns and the block of weights of one sequence and head.
struct Head {
  std::size_t begin;
  std::size_t length;
  std::size_t column;
  std::size_t weights;

  float* of(Matrix& matrix) const { return matrix.row(begin) + column; }
};

template <class Work>
void for_each_head(const SequenceBatch& batch, std::size_t heads, std::size_t head_size, const Work& work) {
  std::size_t weights = 0;
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const std::size_t length = batch.length(i);
    for (std::size_t head = 0; head < heads; ++head) {
      work(Head{batch.sequence_begin(i), length, head * head_size, weights});
      weights += length * length;
    }
  }
}

std::size_t count_weights(const SequenceBatch& batch, std::size_t heads) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < batch.sequences(); ++i) count += heads * batch.length(i) * batch.length(i);
  return count;
}

// As one row.
MatrixView flat(AlignedArray<float>& array) { return {array.data(), 1, array.size(), array.size()}; }

}  // namespace

SelfAttention::SelfAttention(ParameterSet& parameters, const std::string& name, std::size_t size,
                             const SelfAttentionOptions& options)
    : size_(size),
      heads_(options.heads),
      head_size_(size / options.heads),
      dropout_(options.dropout),
      query_(parameters, name + ".query", size, size),
      key_(parameters, name + ".key", size, size),
      value_(parameters, name + ".value", size, size) {
  assert(size % options.heads == 0);
}

// Q = x_q·W_q + b_q    K = x·W_k + b_k    V = x·W_v + b_v    and for the columns of every head, d of them,
// P = softmax(Q·Kᵀ / √d)        over the elements up to the row's own
// y = dropout(P)·V
void SelfAttention::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& query_x,
                            const ConstMatrixView& x, Random* random, const MatrixView& y, Cache& cache) const {
  assert(query_x.rows == batch.rows() && x.rows == batch.rows() && y.rows == batch.rows());
  assert(query_x.cols == size_ && x.cols == size_ && y.cols == size_);
  for (Matrix* matrix :
       {&cache.query_inputs, &cache.inputs, &cache.queries, &cache.keys, &cache.values, &cache.context}) {
    matrix->reshape(batch.rows(), size_);
  }
  cache.weights.reshape(count_weights(batch, heads_));
  cache.transposed.reshape(head_size_ * batch.steps());

  gather_rows(query_x, batch.rows_by_sequence(), cache.query_inputs.view());
  gather_rows(x, batch.rows_by_sequence(), cache.inputs.view());
  query_.forward(parameters, cache.query_inputs.view(), cache.queries.view(), cache.linear);
  key_.forward(parameters, cache.inputs.view(), cache.keys.view(), cache.linear);
  value_.forward(parameters, cache.inputs.view(), cache.values.view(), cache.linear);

  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(head_size_)));
  for_each_head(batch, heads_, head_size_, [&](const Head& head) {
    const std::size_t length = head.length;
    float* weights = cache.weights.data() + head.weights;
    transpose(length, head_size_, head.of(cache.keys), size_, cache.transposed.data(), length);
    matmul({length, length, head_size_}, by_rows(head.of(cache.queries), size_), cache.transposed.data(), length,
           weights, length);
    for (std::size_t i = 0; i < length; ++i) {
      float* row = weights + i * length;
      const std::size_t seen = i + 1;
      scale(seen, factor, row);
      softmax(seen, row, row);
      std::fill(row + seen, row + length, 0.0F);
    }
  });

  cache.dropped.reshape(cache.weights.size());
  dropout_.forward(flat(cache.weights), random, flat(cache.dropped), cache.dropout);
  for_each_head(batch, heads_, head_size_, [&](const Head& head) {
    const std::size_t length = head.length;
    matmul({length, head_size_, length}, by_rows(cache.dropped.data() + head.weights, length), head.of(cache.values),
           size_, head.of(cache.context), size_);
  });
  scatter_rows(cache.context.view(), batch.rows_by_sequence(), y);
}

// dV = dropout(P)ᵀ·dy    dP = dropout(dy·Vᵀ)    dS = P · (dP - Σ P·dP) / √d    dQ = dS·K    dK = dSᵀ·Q
void SelfAttention::backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                             const ConstMatrixView& dy, const MatrixView& dquery_x, const MatrixView& dx,
                             Cache& cache) const {
  assert(dy.rows == batch.rows() && dquery_x.rows == batch.rows() && dx.rows == batch.rows());
  for (Matrix* matrix :
       {&cache.dcontext, &cache.dqueries, &cache.dkeys, &cache.dvalues, &cache.dinputs, &cache.dinputs_of_values}) {
    matrix->reshape(batch.rows(), size_);
  }
  cache.dweights.reshape(cache.weights.size());

  gather_rows(dy, batch.rows_by_sequence(), cache.dcontext.view());
  for_each_head(batch, heads_, head_size_, [&](const Head& head) {
    const std::size_t length = head.length;
    matmul({length, head_size_, length}, transposed(cache.dropped.data() + head.weights, length),
           head.of(cache.dcontext), size_, head.of(cache.dvalues), size_);
    transpose(length, head_size_, head.of(cache.values), size_, cache.transposed.data(), length);
    matmul({length, length, head_size_}, by_rows(head.of(cache.dcontext), size_), cache.transposed.data(), length,
           cache.dweights.data() + head.weights, length);
  });
  dropout_.backward(flat(cache.dweights), flat(cache.dweights), cache.dropout);

  const auto factor = static_cast<float>(1 / std::sqrt(static_cast<double>(head_size_)));
  for_each_head(batch, heads_, head_size_, [&](const Head& head) {
    const std::size_t length = head.length;
    float* scores = cache.dweights.data() + head.weights;
    const float* weights = cache.weights.data() + head.weights;
    for (std::size_t i = 0; i < length; ++i) {
      softmax_backward(length, weights + i * length, scores + i * length, scores + i * length);
    }
    scale(length * length, factor, scores);
    matmul({length, head_size_, length}, by_rows(scores, length), head.of(cache.keys), size_, head.of(cache.dqueries),
           size_);
    matmul({length, head_size_, length}, transposed(scores, length), head.of(cache.queries), size_,
           head.of(cache.dkeys), size_);
  });

  query_.backward(parameters, gradients, cache.query_inputs.view(), cache.dqueries.view(), cache.dinputs.view(),
                  cache.linear);
  scatter_rows(cache.dinputs.view(), batch.rows_by_sequence(), dquery_x);
  key_.backward(parameters, gradients, cache.inputs.view(), cache.dkeys.view(), cache.dinputs.view(), cache.linear);
  value_.backward(parameters, gradients, cache.inputs.view(), cache.dvalues.view(), cache.dinputs_of_values.view(),
                  cache.linear);
  add_matrix(cache.dinputs_of_values.view(), cache.dinputs.view());
  scatter_rows(cache.dinputs.view(), batch.rows_by_sequence(), dx);
}

}  // namespace linn
