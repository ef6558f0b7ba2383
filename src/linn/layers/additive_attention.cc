#include "linn/layers/additive_attention.h"

#include <cassert>

#include "linn/kernels/activations.h"
#include "linn/kernels/elementwise.h"

namespace linn {

AdditiveAttention::AdditiveAttention(ParameterSet& parameters, const std::string& name, std::size_t inputs,
                                     std::size_t query_inputs, std::size_t size, bool bias)
    : size_(size),
      keys_(parameters, name + ".keys", inputs, size, /*bias=*/false),
      queries_(parameters, name + ".queries", query_inputs, size, bias),
      vector_(parameters.add(name + ".vector", 1, size)) {}

// For the elements h_i of a sequence with the query q:
//   s_i = sigmoid(h_i·W1 + q·W2 + b)
//   α_i = v · s_i
//   y   = Σ α_i h_i
void AdditiveAttention::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& h,
                                const ConstMatrixView& q, const MatrixView& y, Cache& cache) const {
  assert(h.rows == batch.rows() && q.rows == batch.sequences() && y.rows == batch.sequences() && y.cols == h.cols);
  const float* vector = parameters.value(vector_).data;
  cache.activations.reshape(batch.rows(), size_);
  cache.queries.reshape(batch.sequences(), size_);
  cache.weights.reshape(batch.rows());
  keys_.forward(parameters, h, cache.activations.view(), cache.keys_cache);
  queries_.forward(parameters, q, cache.queries.view(), cache.queries_cache);
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const std::size_t row = batch.row(i, t);
      float* s = cache.activations.row(row);
      axpy(size_, 1.0F, cache.queries.row(i), s);
      sigmoid(size_, s, s);
      cache.weights[row] = dot(size_, vector, s);
    }
  }
  fill_matrix(y, 0);
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const std::size_t row = batch.row(i, t);
      axpy(h.cols, cache.weights[row], h.row(row), y.row(i));
    }
  }
}

// dα_i = dy · h_i
// dv  += Σ dα_i s_i
// g_i  = dα_i · v · s_i (1 - s_i)        the gradient before the sigmoid, from which those of W1, W2 and b follow
// dh_i = α_i dy + g_i·W1ᵀ    dq = (Σ g_i)·W2ᵀ
void AdditiveAttention::backward(const ParameterSet& parameters, ParameterGradients& gradients,
                                 const SequenceBatch& batch, const ConstMatrixView& h, const ConstMatrixView& q,
                                 const ConstMatrixView& dy, const MatrixView& dh, const MatrixView& dq,
                                 Cache& cache) const {
  assert(dy.rows == batch.sequences() && dy.cols == h.cols && dh.rows == batch.rows() && dq.rows == batch.sequences());
  const float* vector = parameters.value(vector_).data;
  float* dvector = gradients.of(vector_).data;
  cache.dweights.reshape(batch.rows());
  cache.dactivations.reshape(batch.rows(), size_);
  cache.dqueries.reshape(batch.sequences(), size_);
  cache.dqueries.fill(0);
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const std::size_t row = batch.row(i, t);
      cache.dweights[row] = dot(h.cols, dy.row(i), h.row(row));
    }
  }
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const std::size_t row = batch.row(i, t);
      const float* s = cache.activations.row(row);
      float* g = cache.dactivations.row(row);
      axpy(size_, cache.dweights[row], s, dvector);
      for (std::size_t j = 0; j < size_; ++j) g[j] = cache.dweights[row] * vector[j] * s[j] * (1 - s[j]);
      axpy(size_, 1.0F, g, cache.dqueries.row(i));
    }
  }
  keys_.backward(parameters, gradients, h, cache.dactivations.view(), dh, cache.keys_cache);
  queries_.backward(parameters, gradients, q, cache.dqueries.view(), dq, cache.queries_cache);
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const std::size_t row = batch.row(i, t);
      axpy(h.cols, cache.weights[row], dy.row(i), dh.row(row));
    }
  }
}

}  // namespace linn
