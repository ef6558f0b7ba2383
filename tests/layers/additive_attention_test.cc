#include "linn/layers/additive_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "layer_test.h"

namespace linn {
namespace {

constexpr std::size_t kInputs = 5;
constexpr std::size_t kQuery = 3;
constexpr std::size_t kSize = 4;

Vector naive_attention(const ParameterSet& parameters, bool with_bias, const std::vector<Vector>& elements,
                       const Vector& query) {
  const Vector bias = with_bias ? named_row(parameters, "a.queries.bias") : Vector{};
  const Vector context = naive_linear(query, named(parameters, "a.queries.weight"), bias);
  const Vector vector = named_row(parameters, "a.vector");
  Vector result(kInputs, 0.0);
  for (const Vector& element : elements) {
    const Vector key = naive_linear(element, named(parameters, "a.keys.weight"));
    double weight = 0;
    for (std::size_t j = 0; j < kSize; ++j) weight += vector[j] / (1 + std::exp(-key[j] - context[j]));
    for (std::size_t j = 0; j < kInputs; ++j) result[j] += weight * element[j];
  }
  return result;
}

// The last elements, or every second one and the last but one.
SequenceElements some_elements(const SequenceBatch& batch, bool last) {
  SequenceElements elements;
  if (last) {
    elements.assign_last(batch);
    return elements;
  }
  elements.clear();
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    for (std::size_t t = 0; t < batch.length(i); ++t) {
      if (t % 2 == 1 || t + 2 == batch.length(i)) elements.add(batch, i, t);
    }
    elements.end_sequence();
  }
  return elements;
}

TEST(AdditiveAttention, ForwardAndGradient) {
  for (const bool bias : {false, true}) {
    for (const bool last : {false, true}) {
      for (const std::vector<std::uint32_t>& lengths : kBatches) {
        ParameterSet parameters;
        const AdditiveAttention layer(parameters, "a", kInputs, kQuery, kSize, bias);
        draw_parameters(parameters);
        const SequenceBatch batch(lengths);
        const SequenceElements queries = some_elements(batch, last);
        Matrix h = random_matrix(batch.rows(), kInputs, 1);
        Matrix q = random_matrix(queries.size(), kQuery, 2);
        const Matrix dy = random_matrix(queries.size(), kInputs, 3);
        Matrix y = unset_matrix(queries.size(), kInputs);
        Matrix dh = unset_matrix(batch.rows(), kInputs);
        Matrix dq = unset_matrix(queries.size(), kQuery);
        AdditiveAttention::Cache cache;
        const auto loss = [&] {
          layer.forward(parameters, batch, queries, h.view(), q.view(), y.view(), cache);
          return weighted_sum(y.span(), dy.span());
        };
        loss();
        for (std::size_t i = 0; i < batch.sequences(); ++i) {
          for (std::size_t e = queries.begin[i]; e < queries.begin[i + 1]; ++e) {
            std::vector<Vector> elements = sequence_of(batch, h.view(), i);
            elements.resize(queries.steps[e] + 1);
            expect_row(y.view(), e, naive_attention(parameters, bias, elements, row_of(q.view(), e)));
          }
        }
        const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
          layer.backward(parameters, sum, batch, queries, h.view(), q.view(), dy.view(), dh.view(), dq.view(), cache);
        });
        EXPECT_TRUE(gradient_matches(h.span(), dh.span(), loss));
        EXPECT_TRUE(gradient_matches(q.span(), dq.span(), loss));
        expect_parameter_gradients(parameters, gradients, loss);
      }
    }
  }
}

TEST(AdditiveAttention, CacheIsReusable) {
  using Cache = AdditiveAttention::Cache;
  ParameterSet parameters;
  const AdditiveAttention layer(parameters, "a", kInputs, kQuery, kSize);
  draw_parameters(parameters);
  expect_cache_reusable<Cache>([&](const std::vector<std::uint32_t>& lengths, Cache& cache) {
    const SequenceBatch batch(lengths);
    const SequenceElements queries = some_elements(batch, false);
    const Matrix h = random_matrix(batch.rows(), kInputs, 1);
    const Matrix q = random_matrix(queries.size(), kQuery, 2);
    const Matrix dy = random_matrix(queries.size(), kInputs, 3);
    Matrix y = unset_matrix(queries.size(), kInputs);
    Matrix dh = unset_matrix(batch.rows(), kInputs);
    Matrix dq = unset_matrix(queries.size(), kQuery);
    ParameterGradients gradients(parameters);
    layer.forward(parameters, batch, queries, h.view(), q.view(), y.view(), cache);
    layer.backward(parameters, gradients, batch, queries, h.view(), q.view(), dy.view(), dh.view(), dq.view(), cache);
    return joined({y.span(), dh.span(), dq.span(), gradients.values()});
  });
}

}  // namespace
}  // namespace linn
