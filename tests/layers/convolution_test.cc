#include "linn/layers/convolution.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "layer_test.h"

namespace linn {
namespace {

constexpr std::size_t kInputs = 4;
constexpr std::size_t kFilters = 6;

Vector naive_features(const ParameterSet& parameters, std::size_t width, std::vector<Vector> elements) {
  while (elements.size() < width) elements.emplace_back(kInputs, 0.0);
  Vector features(kFilters, 0.0);
  for (std::size_t p = 0; p + width <= elements.size(); ++p) {
    Vector window;
    for (std::size_t k = 0; k < width; ++k) {
      window.insert(window.end(), elements[p + k].begin(), elements[p + k].end());
    }
    const Vector response = naive_linear(window, named(parameters, "c.weight"), named_row(parameters, "c.bias"));
    for (std::size_t f = 0; f < kFilters; ++f) features[f] = std::max(features[f], response[f]);
  }
  return features;
}

TEST(Convolution, ForwardAndGradient) {
  for (const std::size_t width : {1, 2, 3, 5}) {
    for (const std::vector<std::uint32_t>& lengths : kBatches) {
      ParameterSet parameters;
      const Convolution layer(parameters, "c", kInputs, kFilters, width);
      draw_parameters(parameters);
      const SequenceBatch batch(lengths);
      Matrix x = random_matrix(batch.rows(), kInputs, 1);
      const Matrix dy = random_matrix(batch.sequences(), kFilters, 2);
      Matrix y = unset_matrix(batch.sequences(), kFilters);
      Matrix dx = unset_matrix(batch.rows(), kInputs);
      Convolution::Cache cache;
      const auto loss = [&] {
        layer.forward(parameters, batch, x.view(), y.view(), cache);
        return weighted_sum(y.span(), dy.span());
      };
      loss();
      for (std::size_t i = 0; i < batch.sequences(); ++i) {
        expect_row(y.view(), i, naive_features(parameters, width, sequence_of(batch, x.view(), i)));
      }
      const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
        layer.backward(parameters, sum, batch, x.view(), y.view(), dy.view(), dx.view(), cache);
      });
      // One response near a kink concerns all of its window.
      const GradientCheckOptions options = {.step = 2e-3, .kinks = 0.3};
      EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss, options));
      expect_parameter_gradients(parameters, gradients, loss, options);
    }
  }
}

TEST(Convolution, CacheIsReusable) {
  ParameterSet parameters;
  const Convolution layer(parameters, "c", kInputs, kFilters, 3);
  draw_parameters(parameters);
  expect_cache_reusable<Convolution::Cache>([&](const std::vector<std::uint32_t>& lengths, Convolution::Cache& cache) {
    const SequenceBatch batch(lengths);
    const Matrix x = random_matrix(batch.rows(), kInputs, 1);
    const Matrix dy = random_matrix(batch.sequences(), kFilters, 2);
    Matrix y = unset_matrix(batch.sequences(), kFilters);
    Matrix dx = unset_matrix(batch.rows(), kInputs);
    ParameterGradients gradients(parameters);
    layer.forward(parameters, batch, x.view(), y.view(), cache);
    layer.backward(parameters, gradients, batch, x.view(), y.view(), dy.view(), dx.view(), cache);
    return joined({y.span(), dx.span(), gradients.values()});
  });
}

}  // namespace
}  // namespace linn
