#include "linn/kernels/activations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/targets.h"
#include "layers/layer_test.h"
#include "linn/kernels/elementwise.h"

namespace linn {
namespace {

class Activations : public EveryInstructionSet {
 protected:
  using Map = void (*)(std::size_t, const float*, float*);

  // Against the function in double, for all lengths and alignments, and over a wide range.
  void expect_function(Map map, double (*function)(double)) {
    for (const std::size_t size : kLengths) {
      for (const std::size_t offset : kOffsets) {
        Array x(size, offset, 1);
        for (std::size_t i = 0; i < size; ++i) x[i] *= std::exp(static_cast<float>(i % 12) - 6);
        Array y(size, offset / 2, 2);
        map(size, x.data(), y.data());
        for (std::size_t i = 0; i < size; ++i) {
          const double expected = function(double{x[i]});
          ASSERT_NEAR(y[i], expected, 1e-6 * std::abs(expected) + 1e-37) << x[i];
          // The same result alone as within an array.
          float alone = x[i];
          map(1, &alone, &alone);
          ASSERT_EQ(alone, y[i]);
        }
        EXPECT_TRUE(y.intact());
        map(size, x.data(), x.data());
        EXPECT_EQ(x.values(), y.values());
      }
    }
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    for (const float value : {0.0F, -0.0F, 30.0F, -30.0F, 1e4F, -1e4F, 1e30F, -1e30F, kInfinity, -kInfinity}) {
      float result = 0;
      map(1, &value, &result);
      EXPECT_NEAR(result, function(double{value}), 1e-6 * std::abs(function(double{value})) + 1e-30) << value;
    }
    const float none = std::numeric_limits<float>::quiet_NaN();
    float result = 0;
    map(1, &none, &result);
    EXPECT_TRUE(std::isnan(result));
  }
};
LINN_TEST_EVERY_INSTRUCTION_SET(Activations);

TEST_P(Activations, Sigmoid) {
  expect_function(sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); });
}

TEST_P(Activations, Tanh) {
  expect_function(linn::tanh, [](double x) { return std::tanh(x); });
}

TEST_P(Activations, Softmax) {
  for (const std::size_t size : kLengths) {
    Array x(size, 3, 1);
    for (std::size_t i = 0; i < size; ++i) x[i] *= 20;
    Array y(size, 1, 2);
    softmax(size, x.data(), y.data());
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) sum += std::exp(double{x[i]});
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], std::exp(double{x[i]}) / sum, 1e-6);
    EXPECT_TRUE(y.intact());
    // A shift of all changes nothing, even one whose exponential is infinite.
    for (std::size_t i = 0; i < size; ++i) x[i] = std::round(x[i]) + 1024;
    softmax(size, x.data(), y.data());
    for (std::size_t i = 0; i < size; ++i) x[i] -= 2048;
    softmax(size, x.data(), x.data());
    EXPECT_EQ(x.values(), y.values());
  }
}

// Gradients of the maps element by element.
TEST(ActivationGradient, Maps) {
  Matrix x = random_matrix(1, 40, 1);
  const Matrix dy = random_matrix(1, 40, 2);
  Matrix y = unset_matrix(1, 40);
  Matrix dx = unset_matrix(1, 40);
  struct Activation {
    void (*map)(std::size_t, const float*, float*);
    void (*backward)(std::size_t, const float*, const float*, float*);
    double kinks;
  };
  const std::vector<Activation> activations = {{linn::tanh, tanh_backward, 0}, {relu, relu_backward, 0.1}};
  for (const Activation& activation : activations) {
    const auto loss = [&] {
      activation.map(40, x.data(), y.data());
      return weighted_sum(y.span(), dy.span());
    };
    loss();
    activation.backward(40, y.data(), dy.data(), dx.data());
    EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss, {.kinks = activation.kinks}));
  }
}

TEST(ActivationGradient, Softmax) {
  Matrix x = random_matrix(1, 7, 1);
  const Matrix dy = random_matrix(1, 7, 2);
  Matrix y = unset_matrix(1, 7);
  Matrix dx = unset_matrix(1, 7);
  const auto loss = [&] {
    softmax(7, x.data(), y.data());
    return weighted_sum(y.span(), dy.span());
  };
  loss();
  softmax_backward(7, y.data(), dy.data(), dx.data());
  EXPECT_TRUE(gradient_matches(x.span(), dx.span(), loss));
}

// An element of minus infinity gets no share, and neither does any if all are.
TEST(Softmax, MinusInfinity) {
  constexpr float kNone = -std::numeric_limits<float>::infinity();
  std::vector<float> x = {kNone, 1, kNone};
  softmax(3, x.data(), x.data());
  EXPECT_EQ(x, (std::vector<float>{0, 1, 0}));
  std::vector<float> none(3, kNone);
  softmax(3, none.data(), none.data());
  EXPECT_EQ(none, std::vector<float>(3, 0.0F));
}

TEST(Softmax, KeepsNaN) {
  std::vector<float> x = {1, std::numeric_limits<float>::quiet_NaN(), 2};
  softmax(3, x.data(), x.data());
  for (const float value : x) EXPECT_TRUE(std::isnan(value));
}

}  // namespace
}  // namespace linn
