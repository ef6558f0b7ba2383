#include "support/gradient_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace linn {
namespace {

class GradientCheck : public testing::Test {
 protected:
  // Σ sin(x_i) · (i + 1)
  double loss() const {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += std::sin(x_[i]) * static_cast<float>(i + 1);
    return sum;
  }
  std::vector<float> gradient() const {
    std::vector<float> result;
    for (std::size_t i = 0; i < x_.size(); ++i) result.push_back(std::cos(x_[i]) * static_cast<float>(i + 1));
    return result;
  }
  testing::AssertionResult check(const std::vector<float>& gradient, const GradientCheckOptions& options = {}) {
    return gradient_matches(
        x_, gradient, [&] { return loss(); }, options);
  }

  std::vector<float> x_ = {0.3f, -1.2f, 0.0f, 2.5f, 0.7f, -0.1f, 1.1f, -2.2f};
};

TEST_F(GradientCheck, AcceptsTheGradient) {
  const std::vector<float> before = x_;
  EXPECT_TRUE(check(gradient()));
  EXPECT_EQ(x_, before);
}

TEST_F(GradientCheck, RejectsOneWrongElement) {
  std::vector<float> wrong = gradient();
  wrong[3] *= -1;
  EXPECT_FALSE(check(wrong));
  // There is no kink that would excuse it.
  EXPECT_FALSE(check(wrong, {.step = 2e-3, .kinks = 0.5}));
}

TEST_F(GradientCheck, ExcusesKinks) {
  // |x|, within a step of its kink at the first two and outside at the others
  std::vector<float> x = {1e-4f, -7e-4f, 1.0f, -1.0f};
  const auto loss = [&] {
    double sum = 0;
    for (const float value : x) sum += std::abs(value);
    return sum;
  };
  std::vector<float> gradient = {1, -1, 1, -1};
  EXPECT_FALSE(gradient_matches(x, gradient, loss, {.step = 2e-3}));
  EXPECT_FALSE(gradient_matches(x, gradient, loss, {.step = 2e-3, .kinks = 0.25}));
  EXPECT_TRUE(gradient_matches(x, gradient, loss, {.step = 2e-3, .kinks = 0.5}));
  gradient[2] = -1;
  EXPECT_FALSE(gradient_matches(x, gradient, loss, {.step = 2e-3, .kinks = 1}));
}

TEST_F(GradientCheck, RejectsWhatIsNotANumber) {
  std::vector<float> wrong = gradient();
  wrong[0] = std::nanf("");
  EXPECT_FALSE(check(wrong));
}

TEST_F(GradientCheck, RejectsAFactor) {
  std::vector<float> wrong = gradient();
  for (float& derivative : wrong) derivative *= 1.03f;
  EXPECT_FALSE(check(wrong));
}

TEST_F(GradientCheck, RejectsADifferentDirection) {
  std::vector<float> wrong = gradient();
  for (std::size_t i = 0; i < wrong.size(); ++i) wrong[i] += i % 2 == 0 ? 0.1f : -0.1f;
  EXPECT_FALSE(check(wrong, {.tolerance = 0.1}));
  EXPECT_TRUE(check(wrong, {.tolerance = 0.1, .cosine = 0.99}));
}

TEST_F(GradientCheck, ComparesZeros) {
  std::vector<float> values(3, 1.0f);
  const auto constant = [] { return 5.0; };
  EXPECT_TRUE(gradient_matches(values, std::vector<float>(3, 0.0f), constant));
  EXPECT_FALSE(gradient_matches(values, std::vector<float>(3, 0.01f), constant));
  EXPECT_FALSE(gradient_matches(values, std::vector<float>(2, 0.0f), constant));
}

}  // namespace
}  // namespace linn
