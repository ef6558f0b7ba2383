#include "linn/layers/self_attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "layer_test.h"

namespace linn {
namespace {

constexpr std::size_t kSize = 6;

// The outputs of one sequence.
std::vector<Vector> naive_attention(const ParameterSet& parameters, const SelfAttentionOptions& options,
                                    const std::vector<Vector>& query_elements, const std::vector<Vector>& elements) {
  const auto project = [&](const std::string& name, const Vector& x) {
    return naive_linear(x, named(parameters, "s." + name + ".weight"), named_row(parameters, "s." + name + ".bias"));
  };
  const std::size_t head_size = kSize / options.heads;
  std::vector<Vector> outputs;
  for (std::size_t t = 0; t < elements.size(); ++t) {
    const Vector query = project("query", query_elements[t]);
    Vector context(kSize, 0.0);
    for (std::size_t head = 0; head < options.heads; ++head) {
      double sum = 0;
      Vector total(head_size, 0.0);
      for (std::size_t u = 0; u <= t; ++u) {
        const Vector key = project("key", elements[u]);
        const Vector value = project("value", elements[u]);
        double score = 0;
        for (std::size_t j = 0; j < head_size; ++j) score += query[head * head_size + j] * key[head * head_size + j];
        const double weight = std::exp(score / std::sqrt(head_size));
        sum += weight;
        for (std::size_t j = 0; j < head_size; ++j) total[j] += weight * value[head * head_size + j];
      }
      for (std::size_t j = 0; j < head_size; ++j) context[head * head_size + j] = total[j] / sum;
    }
    outputs.push_back(context);
  }
  return outputs;
}

const std::vector<SelfAttentionOptions> kOptions = {
    {.heads = 1}, {.heads = 3}, {.heads = 6}, {.heads = 2, .dropout = 0.3}};

TEST(SelfAttention, ForwardAndGradient) {
  for (const SelfAttentionOptions& options : kOptions) {
    for (const std::vector<std::uint32_t>& lengths : kBatches) {
      ParameterSet parameters;
      const SelfAttention layer(parameters, "s", kSize, options);
      draw_parameters(parameters);
      const SequenceBatch batch(lengths);
      Matrix query_x = random_matrix(batch.rows(), kSize, 1);
      Matrix x = random_matrix(batch.rows(), kSize, 2);
      const Matrix dy = random_matrix(batch.rows(), kSize, 3);
      Matrix y = unset_matrix(batch.rows(), kSize);
      Matrix dquery_x = unset_matrix(batch.rows(), kSize);
      Matrix dx = unset_matrix(batch.rows(), kSize);
      SelfAttention::Cache cache;
      // In evaluation.
      layer.forward(parameters, batch, query_x.view(), x.view(), nullptr, y.view(), cache);
      for (std::size_t i = 0; i < batch.sequences(); ++i) {
        const std::vector<Vector> expected = naive_attention(parameters, options, sequence_of(batch, query_x.view(), i),
                                                             sequence_of(batch, x.view(), i));
        for (std::size_t t = 0; t < expected.size(); ++t) expect_row(y.view(), batch.row(i, t), expected[t]);
      }
      // In training, with the same mask each time.
      const auto loss = [&] {
        Random random(7);
        layer.forward(parameters, batch, query_x.view(), x.view(), &random, y.view(), cache);
        return weighted_sum(y.span(), dy.span());
      };
      loss();
      const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
        layer.backward(parameters, sum, batch, dy.view(), dquery_x.view(), dx.view(), cache);
      });
      EXPECT_TRUE(gradient_matches(query_x.span(), dquery_x.span(), loss));
      EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
      expect_parameter_gradients(parameters, gradients, loss);
    }
  }
}

// A later element has no influence on an earlier output, to the bit.
TEST(SelfAttention, IsCausal) {
  ParameterSet parameters;
  const SelfAttention layer(parameters, "s", kSize, {.heads = 2});
  draw_parameters(parameters);
  const SequenceBatch batch(std::vector<std::uint32_t>{5});
  Matrix x = random_matrix(5, kSize, 1);
  Matrix before = unset_matrix(5, kSize);
  Matrix after = unset_matrix(5, kSize);
  SelfAttention::Cache cache;
  layer.forward(parameters, batch, x.view(), x.view(), nullptr, before.view(), cache);
  x.row(3)[2] += 1;
  layer.forward(parameters, batch, x.view(), x.view(), nullptr, after.view(), cache);
  for (std::size_t t = 0; t < 5; ++t) EXPECT_EQ(row_of(before.view(), t) == row_of(after.view(), t), t < 3);
}

TEST(SelfAttention, CacheIsReusable) {
  using Cache = SelfAttention::Cache;
  ParameterSet parameters;
  const SelfAttention layer(parameters, "s", kSize, {.heads = 2, .dropout = 0.2});
  draw_parameters(parameters);
  expect_cache_reusable<Cache>([&](const std::vector<std::uint32_t>& lengths, Cache& cache) {
    const SequenceBatch batch(lengths);
    const Matrix x = random_matrix(batch.rows(), kSize, 1);
    const Matrix dy = random_matrix(batch.rows(), kSize, 2);
    Matrix y = unset_matrix(batch.rows(), kSize);
    Matrix dquery_x = unset_matrix(batch.rows(), kSize);
    Matrix dx = unset_matrix(batch.rows(), kSize);
    Random random(7);
    ParameterGradients gradients(parameters);
    layer.forward(parameters, batch, x.view(), x.view(), &random, y.view(), cache);
    layer.backward(parameters, gradients, batch, dy.view(), dquery_x.view(), dx.view(), cache);
    return joined({y.span(), dquery_x.span(), dx.span(), gradients.values()});
  });
}

}  // namespace
}  // namespace linn
