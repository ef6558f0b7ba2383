#include "linn/layers/linear.h"

#include <gtest/gtest.h>

#include "layer_test.h"

namespace linn {
namespace {

class LinearLayer : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Bias, LinearLayer, testing::Bool());

TEST_P(LinearLayer, IsAProduct) {
  ParameterSet parameters;
  const Linear layer(parameters, "l", 7, 5, GetParam());
  ASSERT_EQ(parameters.list().size(), GetParam() ? 2U : 1U);
  draw_parameters(parameters);
  const Matrix x = random_matrix(6, 7, 1);
  // Columns of a larger matrix.
  Matrix wide(6, 9);
  wide.fill(-3);
  Linear::Cache cache;
  layer.forward(parameters, x.view(), column_range(wide.view(), 2, 5), cache);
  const Vector bias = GetParam() ? named_row(parameters, "l.bias") : Vector{};
  for (std::size_t i = 0; i < 6; ++i) {
    expect_row(column_range(wide.view(), 2, 5), i,
               naive_linear(row_of(x.view(), i), named(parameters, "l.weight"), bias));
    EXPECT_EQ(wide.row(i)[1], -3);
    EXPECT_EQ(wide.row(i)[7], -3);
  }
}

TEST_P(LinearLayer, Gradient) {
  ParameterSet parameters;
  const Linear layer(parameters, "l", 7, 5, GetParam());
  draw_parameters(parameters);
  Matrix x = random_matrix(6, 7, 1);
  const Matrix dy = random_matrix(6, 5, 2);
  Matrix y = unset_matrix(6, 5);
  Matrix dx = unset_matrix(6, 7);
  Linear::Cache cache;
  const auto loss = [&] {
    layer.forward(parameters, x.view(), y.view(), cache);
    return weighted_sum(y.span(), dy.span());
  };
  loss();
  const ParameterGradients gradients = gradients_of(parameters, [&](ParameterGradients& sum) {
    layer.backward(parameters, sum, x.view(), dy.view(), dx.view(), cache);
  });
  EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
  expect_parameter_gradients(parameters, gradients, loss);
}

TEST(LinearCache, IsReusable) {
  ParameterSet parameters;
  const Linear layer(parameters, "l", 7, 5);
  draw_parameters(parameters);
  expect_cache_reusable<Linear::Cache>([&](const std::vector<std::uint32_t>& lengths, Linear::Cache& cache) {
    const std::size_t rows = lengths[0];
    const Matrix x = random_matrix(rows, 7, 1);
    const Matrix dy = random_matrix(rows, 5, 2);
    Matrix y = unset_matrix(rows, 5);
    Matrix dx = unset_matrix(rows, 7);
    ParameterGradients gradients(parameters);
    layer.forward(parameters, x.view(), y.view(), cache);
    layer.backward(parameters, gradients, x.view(), dy.view(), dx.view(), cache);
    return joined({y.span(), dx.span(), gradients.values()});
  });
}

TEST(Layer, GatherAndScatter) {
  const Matrix source = random_matrix(5, 3, 1);
  const std::vector<std::uint32_t> rows = {4, 0, 2};
  Matrix picked(3, 3);
  gather_rows(source.view(), rows, picked.view());
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(row_of(picked.view(), i), row_of(source.view(), rows[i]));
  Matrix target(5, 3);
  target.fill(7);
  scatter_rows(picked.view(), rows, target.view());
  for (const std::uint32_t row : rows) EXPECT_EQ(row_of(target.view(), row), row_of(source.view(), row));
  for (const std::size_t row : {1, 3}) EXPECT_EQ(row_of(target.view(), row), Vector(3, 7.0));
}

}  // namespace
}  // namespace linn
