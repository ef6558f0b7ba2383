#include "linn/kernels/softmax_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "targets.h"

namespace linn {
namespace {

constexpr std::size_t kRows = 3;
constexpr float kNone = -std::numeric_limits<float>::infinity();

class SoftmaxRows : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(SoftmaxRows);

TEST_P(SoftmaxRows, Maxima) {
  for (const std::size_t columns : kLengths) {
    for (const std::size_t offset : kOffsets) {
      const std::size_t stride = columns + 5;
      Array x(kRows * stride, offset, 1);
      std::vector<float> max = {kNone, 0.9F, -3.0F};
      std::vector<float> expected = max;
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) expected[i] = std::max(expected[i], x[i * stride + j]);
      }
      raise_row_maxima(kRows, columns, x.data(), stride, max.data());
      EXPECT_EQ(max, expected);
    }
  }
}

TEST_P(SoftmaxRows, Exponentials) {
  for (const std::size_t columns : kLengths) {
    for (const std::size_t offset : kOffsets) {
      const std::size_t stride = columns + 5;
      Array x(kRows * stride, offset, 2);
      for (std::size_t i = 0; i < kRows * stride; ++i) x[i] *= 30.0F;
      const std::vector<float> before = x.values();
      const std::vector<float> minus = {0.0F, 30.0F, -3.5F};
      std::vector<double> sum = {0.0, 2.0, 0.0};
      exp_rows(kRows, columns, x.data(), stride, minus.data(), sum.data());
      for (std::size_t i = 0; i < kRows; ++i) {
        double expected_sum = i == 1 ? 2.0 : 0.0;
        for (std::size_t j = 0; j < stride; ++j) {
          const float old = before[i * stride + j];
          if (j >= columns) {
            ASSERT_EQ(x[i * stride + j], old);
            continue;
          }
          const double expected = std::exp(double{old - minus[i]});
          ASSERT_NEAR(x[i * stride + j], expected, 1e-6 * expected) << old;
          expected_sum += expected;
        }
        EXPECT_NEAR(sum[i], expected_sum, 3e-6 * expected_sum);
      }
      EXPECT_TRUE(x.intact());
    }
  }
}

TEST_P(SoftmaxRows, KeepNanAndLoseMinusInfinity) {
  for (const std::size_t columns : {1U, 5U, 40U}) {
    for (std::size_t at = 0; at < columns; at += 3) {
      std::vector<float> x(columns, 0.5F);
      x[at] = std::numeric_limits<float>::quiet_NaN();
      float max = kNone;
      double sum = 0.0;
      raise_row_maxima(1, columns, x.data(), columns, &max);
      exp_rows(1, columns, x.data(), columns, &max, &sum);
      EXPECT_TRUE(std::isnan(sum));

      x.assign(columns, kNone);
      max = 1.0F;
      sum = 0.0;
      exp_rows(1, columns, x.data(), columns, &max, &sum);
      EXPECT_EQ(sum, 0.0);
    }
  }
}

}  // namespace
}  // namespace linn
