#include "linn/layers/layer_norm.h"

#include <gtest/gtest.h>

#include <cmath>

#include "layer_test.h"

namespace linn {
namespace {

TEST(LayerNorm, Normalises) {
  ParameterSet parameters;
  const LayerNorm layer(parameters, "n", 9, 0.01F);
  EXPECT_EQ(named_row(parameters, "n.gain"), Vector(9, 1.0));
  draw_parameters(parameters);
  Matrix x = random_matrix(5, 9, 1);
  for (float& value : x.span()) value += 3;
  Matrix y = unset_matrix(5, 9);
  LayerNorm::Cache cache;
  layer.forward(parameters, x.view(), y.view(), cache);
  const Vector gain = named_row(parameters, "n.gain");
  const Vector bias = named_row(parameters, "n.bias");
  for (std::size_t i = 0; i < 5; ++i) {
    const Vector row = row_of(x.view(), i);
    double mean = 0;
    for (const double value : row) mean += value / 9;
    double variance = 0;
    for (const double value : row) variance += (value - mean) * (value - mean) / 9;
    Vector expected;
    for (std::size_t j = 0; j < 9; ++j) {
      expected.push_back(gain[j] * (row[j] - mean) / std::sqrt(variance + double{0.01F}) + bias[j]);
    }
    expect_row(y.view(), i, expected);
  }
  layer.reset(parameters);
  EXPECT_EQ(named_row(parameters, "n.gain"), Vector(9, 1.0));
  EXPECT_EQ(named_row(parameters, "n.bias"), Vector(9, 0.0));
}

TEST(LayerNorm, Gradient) {
  ParameterSet parameters;
  const LayerNorm layer(parameters, "n", 9);
  draw_parameters(parameters);
  Matrix x = random_matrix(5, 9, 1);
  const Matrix dy = random_matrix(5, 9, 2);
  Matrix y = unset_matrix(5, 9);
  Matrix dx = unset_matrix(5, 9);
  LayerNorm::Cache cache;
  const auto loss = [&] {
    layer.forward(parameters, x.view(), y.view(), cache);
    return weighted_sum(y.span(), dy.span());
  };
  loss();
  const ParameterGradients gradients = gradients_of(
      parameters, [&](ParameterGradients& sum) { layer.backward(parameters, sum, dy.view(), dx.view(), cache); });
  EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
  expect_parameter_gradients(parameters, gradients, loss);
}

TEST(LayerNorm, CacheIsReusable) {
  ParameterSet parameters;
  const LayerNorm layer(parameters, "n", 4);
  draw_parameters(parameters);
  expect_cache_reusable<LayerNorm::Cache>([&](const std::vector<std::uint32_t>& lengths, LayerNorm::Cache& cache) {
    const Matrix x = random_matrix(lengths[0], 4, 1);
    const Matrix dy = random_matrix(lengths[0], 4, 2);
    Matrix y = unset_matrix(lengths[0], 4);
    Matrix dx = unset_matrix(lengths[0], 4);
    ParameterGradients gradients(parameters);
    layer.forward(parameters, x.view(), y.view(), cache);
    layer.backward(parameters, gradients, dy.view(), dx.view(), cache);
    return joined({y.span(), dx.span(), gradients.values()});
  });
}

}  // namespace
}  // namespace linn
