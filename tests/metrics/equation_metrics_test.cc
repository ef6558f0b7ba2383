#include "linn/metrics/equation_metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace linn {
namespace {

TEST(EquationMetrics, ByHand) {
  const std::vector<float> p = {0.9F, 0.4F, 0.5F, 0.2F};
  const std::vector<float> y = {1.0F, 1.0F, 1.0F, 0.0F};
  const EquationMetrics m = equation_metrics(p, y);
  EXPECT_EQ(m.count, 4U);
  EXPECT_DOUBLE_EQ(m.accuracy, 0.75);  // 0.5 counts as true
  EXPECT_NEAR(m.rmse, std::sqrt((0.01 + 0.36 + 0.25 + 0.04) / 4), 1e-7);
  EXPECT_NEAR(m.log_loss, -(std::log(0.9) + std::log(0.4) + std::log(0.5) + std::log(0.8)) / 4, 1e-6);
  // Each is in a separate bin: the mean of the differences.
  EXPECT_NEAR(m.calibration_error, (0.1 + 0.6 + 0.5 + 0.2) / 4, 1e-6);
}

TEST(EquationMetrics, ConfidentErrorsHaveFiniteLoss) {
  const EquationMetrics m = equation_metrics(std::vector<float>{1.0F, 0.0F}, std::vector<float>{0.0F, 1.0F});
  EXPECT_DOUBLE_EQ(m.accuracy, 0.0);
  EXPECT_TRUE(std::isfinite(m.log_loss));
  EXPECT_GT(m.log_loss, 10.0);
}

TEST(EquationMetrics, ErrorsCancelWithinABinOnly) {
  // Half of the equations with p = 0.5 are true, so these are calibrated; 0.9 and 0.1 are in bins of their own.
  const std::vector<float> p = {0.5F, 0.5F, 0.9F, 0.1F};
  const std::vector<float> y = {1.0F, 0.0F, 0.0F, 1.0F};
  EXPECT_NEAR(equation_metrics(p, y).calibration_error, (0.9 + 0.9) / 4, 1e-6);
  // 1 belongs to the last bin.
  EXPECT_NEAR(equation_metrics(std::vector<float>{0.95F, 1.0F}, std::vector<float>{1.0F, 1.0F}).calibration_error,
              0.05 / 2, 1e-6);
}

TEST(EquationMetrics, NanShowsInTheErrors) {
  const EquationMetrics m = equation_metrics(std::vector<float>{std::nanf(""), 1.0F}, std::vector<float>{1.0F, 1.0F});
  EXPECT_DOUBLE_EQ(m.accuracy, 0.5);
  EXPECT_TRUE(std::isnan(m.rmse) && std::isnan(m.log_loss));
}

TEST(EquationMetrics, AreZeroWithoutEquations) {
  const EquationMetrics m = equation_metrics({}, {});
  EXPECT_EQ(m.count, 0U);
  for (const double value : {m.accuracy, m.rmse, m.log_loss, m.calibration_error}) EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace linn
