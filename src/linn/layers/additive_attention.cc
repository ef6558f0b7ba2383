#include "linn/layers/additive_attention.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "linn/kernels/activations.h"
#include "linn/kernels/elementwise.h"

namespace linn {

AdditiveAttention::AdditiveAttention(ParameterSet& parameters, const std::string& name, std::size_t inputs,
                                     std::size_t query_inputs, std::size_t size, bool bias)
    : size_(size),
      keys_(parameters, name + ".keys", inputs, size, /*bias=*/false),
      queries_(parameters, name + ".queries", query_inputs, size, bias),
      vector_(parameters.add(name + ".vector", 1, size)) {}

namespace {

// Calls work(row, begin, count, pair) for every element, step by step: its packed row, the queries of its sequence that
// attend to it, and the number of the first of these pairs.
template <class Work>
void for_each_element(const SequenceBatch& batch, const SequenceElements& queries, const Work& work) {
  std::size_t pair = 0;
  for (std::size_t t = 0; t < batch.steps(); ++t) {
    for (std::size_t i = 0; i < batch.step_size(t); ++i) {
      const auto steps = std::span(queries.steps).first(queries.begin[i + 1]).subspan(queries.begin[i]);
      const auto before = std::ranges::lower_bound(steps, static_cast<std::uint32_t>(t)) - steps.begin();
      const std::size_t count = steps.size() - static_cast<std::size_t>(before);
      work(batch.row(i, t), queries.begin[i + 1] - count, count, pair);
      pair += count;
    }
  }
}

std::size_t count_pairs(const SequenceElements& queries) {
  std::size_t pairs = queries.size();
  for (const std::uint32_t step : queries.steps) pairs += step;
  return pairs;
}

// s = sigmoid(key + query) of one element and some of its queries.
void activate(std::size_t size, const float* key, std::size_t count, const float* queries, float* s) {
  std::copy_n(queries, count * size, s);
  for (std::size_t e = 0; e < count; ++e) axpy(size, 1.0F, key, s + e * size);
  sigmoid(count * size, s, s);
}

}  // namespace

// For the elements h_i up to that of the query q:
//   s_i = sigmoid(h_i·W1 + q·W2 + b)
//   α_i = v · s_i
//   y   = Σ α_i h_i
void AdditiveAttention::forward(const ParameterSet& parameters, const SequenceBatch& batch,
                                const SequenceElements& queries, const ConstMatrixView& h, const ConstMatrixView& q,
                                const MatrixView& y, Cache& cache) const {
  assert(h.rows == batch.rows() && q.rows == queries.size() && y.rows == queries.size() && y.cols == h.cols);
  const float* vector = parameters.value(vector_).data;
  cache.keys.reshape(batch.rows(), size_);
  cache.queries.reshape(queries.size(), size_);
  cache.activations.reshape(batch.steps(), size_);
  cache.weights.reshape(count_pairs(queries));
  keys_.forward(parameters, h, cache.keys.view(), cache.keys_cache);
  queries_.forward(parameters, q, cache.queries.view(), cache.queries_cache);
  fill_matrix(y, 0);
  for_each_element(batch, queries, [&](std::size_t row, std::size_t begin, std::size_t count, std::size_t pair) {
    activate(size_, cache.keys.row(row), count, cache.queries.row(begin), cache.activations.data());
    for (std::size_t e = 0; e < count; ++e) {
      const float weight = dot(size_, vector, cache.activations.row(e));
      cache.weights[pair + e] = weight;
      axpy(h.cols, weight, h.row(row), y.row(begin + e));
    }
  });
}

// dα_i = dy · h_i
// dv  += Σ dα_i s_i
// g_i  = dα_i · v · s_i (1 - s_i)        the gradient before the sigmoid, from which those of W1, W2 and b follow
// dh_i = α_i dy + g_i·W1ᵀ    dq = (Σ g_i)·W2ᵀ
//
// The activations are computed again: for many queries they would take more memory than time.
void AdditiveAttention::backward(const ParameterSet& parameters, ParameterGradients& gradients,
                                 const SequenceBatch& batch, const SequenceElements& queries, const ConstMatrixView& h,
                                 const ConstMatrixView& q, const ConstMatrixView& dy, const MatrixView& dh,
                                 const MatrixView& dq, Cache& cache) const {
  assert(dy.rows == queries.size() && dy.cols == h.cols && dh.rows == batch.rows() && dq.rows == queries.size());
  const float* vector = parameters.value(vector_).data;
  float* dvector = gradients.of(vector_).data;
  cache.g.reshape(size_);
  cache.dkeys.reshape(batch.rows(), size_);
  cache.dqueries.reshape(queries.size(), size_);
  cache.dkeys.fill(0);
  cache.dqueries.fill(0);
  for_each_element(batch, queries, [&](std::size_t row, std::size_t begin, std::size_t count, std::size_t) {
    activate(size_, cache.keys.row(row), count, cache.queries.row(begin), cache.activations.data());
    for (std::size_t e = 0; e < count; ++e) {
      const float* s = cache.activations.row(e);
      const float dweight = dot(h.cols, dy.row(begin + e), h.row(row));
      axpy(size_, dweight, s, dvector);
      for (std::size_t j = 0; j < size_; ++j) cache.g[j] = dweight * vector[j] * s[j] * (1 - s[j]);
      axpy(size_, 1.0F, cache.g.data(), cache.dkeys.row(row));
      axpy(size_, 1.0F, cache.g.data(), cache.dqueries.row(begin + e));
    }
  });
  keys_.backward(parameters, gradients, h, cache.dkeys.view(), dh, cache.keys_cache);
  queries_.backward(parameters, gradients, q, cache.dqueries.view(), dq, cache.queries_cache);
  for_each_element(batch, queries, [&](std::size_t row, std::size_t begin, std::size_t count, std::size_t pair) {
    for (std::size_t e = 0; e < count; ++e) axpy(h.cols, cache.weights[pair + e], dy.row(begin + e), dh.row(row));
  });
}

}  // namespace linn
