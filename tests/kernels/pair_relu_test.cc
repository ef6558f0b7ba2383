#include "linn/kernels/pair_relu.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "targets.h"

namespace linn {
namespace {

class PairRelu : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(PairRelu);

const std::vector<PairShape> kShapes = {{1, 1, 1},   {2, 0, 3},    {0, 4, 3},    {3, 17, 0},    {5, 33, 7},
                                        {8, 48, 16}, {13, 50, 17}, {25, 129, 5}, {11, 64, 129}, {37, 100, 300}};

TEST_P(PairRelu, Scores) {
  for (const PairShape& shape : kShapes) {
    for (const std::size_t offset : {0U, 3U}) {
      const auto [rows, items, hidden] = shape;
      const std::size_t b_stride = items + 3;
      const std::size_t stride = items + 5;
      Array a(rows * hidden, offset, 1);
      Array b(hidden * b_stride, offset, 2);
      Array u(hidden, offset, 3);
      Array scores(rows * stride, offset, 4);
      const std::vector<float> before = scores.values();
      add_pair_relu(shape, a.data(), b.data(), b_stride, u.data(), scores.data(), stride);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < stride; ++j) {
          double expected = before[i * stride + j];
          if (j < items) {
            for (std::size_t h = 0; h < hidden; ++h) {
              expected += double{u[h]} * std::max(0.0, double{a[i * hidden + h]} + double{b[h * b_stride + j]});
            }
          }
          ASSERT_NEAR(scores[i * stride + j], expected, 1e-5) << i << " " << j;
        }
      }
      EXPECT_TRUE(scores.intact());
    }
  }
}

TEST_P(PairRelu, Rows) {
  for (const std::size_t hidden : kLengths) {
    Array a(hidden, 1, 1);
    Array b(4 * hidden, 3, 2);
    Array u(hidden, 2, 3);
    const std::vector<std::uint32_t> picked = {3, 0, 3};
    std::vector<float> out = {0.0F, 1.0F, -2.0F};
    std::vector<float> expected = out;
    add_pair_relu_rows(3, hidden, {a.data(), 0}, {b.data(), hidden, picked.data()}, u.data(), out.data());
    for (std::size_t i = 0; i < 3; ++i) {
      double sum = expected[i];
      for (std::size_t h = 0; h < hidden; ++h) {
        sum += double{u[h]} * std::max(0.0, double{a[h]} + double{b[picked[i] * hidden + h]});
      }
      EXPECT_NEAR(out[i], sum, 1e-5);
    }
  }
}

TEST_P(PairRelu, Sums) {
  for (const PairShape& shape : kShapes) {
    for (const std::size_t offset : {0U, 3U}) {
      const auto [rows, items, hidden] = shape;
      const std::size_t stride = items + 5;
      Array a(rows * hidden, offset, 1);
      Array b(items * hidden, offset, 2);
      Array g(rows * stride, offset, 3);
      Array a_sums(rows * hidden, offset, 4);
      Array b_sums(items * hidden, offset, 5);
      if (rows * items * hidden > 0) b[0] = -a[0];  // relu has no slope at zero
      std::vector<double> expected_a(rows * hidden);
      std::vector<double> expected_b(items * hidden);
      for (std::size_t i = 0; i < expected_a.size(); ++i) expected_a[i] = a_sums[i];
      for (std::size_t i = 0; i < expected_b.size(); ++i) expected_b[i] = b_sums[i];
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < items; ++j) {
          for (std::size_t h = 0; h < hidden; ++h) {
            if (a[i * hidden + h] + b[j * hidden + h] <= 0.0F) continue;
            expected_a[i * hidden + h] += g[i * stride + j];
            expected_b[j * hidden + h] += g[i * stride + j];
          }
        }
      }
      add_pair_relu_sums(shape, a.data(), b.data(), g.data(), stride, a_sums.data(), b_sums.data());
      for (std::size_t i = 0; i < expected_a.size(); ++i) ASSERT_NEAR(a_sums[i], expected_a[i], 1e-5) << i;
      for (std::size_t i = 0; i < expected_b.size(); ++i) ASSERT_NEAR(b_sums[i], expected_b[i], 1e-5) << i;
      EXPECT_TRUE(a_sums.intact());
      EXPECT_TRUE(b_sums.intact());
    }
  }
}

TEST_P(PairRelu, NanStays) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  constexpr PairShape kShape = {2, 35, 3};
  for (const bool in_a : {false, true}) {
    Array a(kShape.rows * kShape.hidden, 0, 1);
    Array b(kShape.hidden * kShape.items, 0, 2);
    Array u(kShape.hidden, 0, 3);
    (in_a ? a[1] : b[kShape.items]) = nan;  // of row 0, or of item 0
    Array scores(kShape.rows * kShape.items, 0, 4);
    add_pair_relu(kShape, a.data(), b.data(), kShape.items, u.data(), scores.data(), kShape.items);
    for (std::size_t i = 0; i < kShape.rows; ++i) {
      for (std::size_t j = 0; j < kShape.items; ++j) {
        EXPECT_EQ(std::isnan(scores[i * kShape.items + j]), in_a ? i == 0 : j == 0);
      }
    }
  }
}

}  // namespace
}  // namespace linn
