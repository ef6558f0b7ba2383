#include "linn/kernels/elementwise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "targets.h"

namespace linn {
namespace {

class Elementwise : public EveryInstructionSet {
 protected:
  // Calls test(size, offset of the first array, offset of the second) for all lengths and alignments.
  template <class Test>
  void for_all_lengths_and_offsets(const Test& test) {
    for (const std::size_t size : kLengths) {
      for (const std::size_t first : kOffsets) {
        for (const std::size_t second : kOffsets) {
          SCOPED_TRACE(testing::Message() << "size " << size << " offsets " << first << " " << second);
          test(size, first, second);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
};
LINN_TEST_EVERY_INSTRUCTION_SET(Elementwise);

constexpr double kRounding = 2e-7;

TEST_P(Elementwise, Axpy) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t second) {
    Array x(size, first, 1);
    Array y(size, second, 2);
    const std::vector<float> old = y.values();
    axpy(size, 0.3f, x.data(), y.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_NEAR(y[i], old[i] + double{0.3f} * double{x[i]}, kRounding);
    EXPECT_TRUE(y.intact());
  });
}

TEST_P(Elementwise, Scale) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t) {
    Array x(size, first, 1);
    const std::vector<float> old = x.values();
    scale(size, -1.7f, x.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(x[i], -1.7f * old[i]);
    EXPECT_TRUE(x.intact());
  });
}

TEST_P(Elementwise, DotAndSquaredNorm) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t second) {
    Array x(size, first, 1);
    Array y(size, second, 2);
    double product = 0;
    double square = 0;
    for (std::size_t i = 0; i < size; ++i) {
      product += double{x[i]} * double{y[i]};
      square += double{x[i]} * double{x[i]};
    }
    const double tolerance = kRounding * (1 + static_cast<double>(size));
    ASSERT_NEAR(dot(size, x.data(), y.data()), product, tolerance);
    ASSERT_NEAR(squared_norm(size, x.data()), square, tolerance);
    // The order of the sum does not depend on where the arrays begin.
    Array x0(size, 0, 1);
    Array y0(size, 0, 2);
    ASSERT_EQ(dot(size, x.data(), y.data()), dot(size, x0.data(), y0.data()));
  });
}

TEST_P(Elementwise, Relu) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t second) {
    Array x(size, first, 1);
    Array y(size, second, 2);
    relu(size, x.data(), y.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(y[i], std::max(x[i], 0.0f));
    EXPECT_TRUE(y.intact());
    relu(size, x.data(), x.data());
    EXPECT_EQ(x.values(), y.values()) << "in place";
  });
}

TEST_P(Elementwise, ReluBackward) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t second) {
    Array x(size, first, 1);
    Array dy(size, second, 2);
    Array dx(size, first + second, 3);
    if (size > 1) x[1] = 0;
    relu_backward(size, x.data(), dy.data(), dx.data());
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(dx[i], x[i] > 0 ? dy[i] : 0.0f);
    EXPECT_TRUE(dx.intact());
    relu_backward(size, x.data(), dy.data(), dy.data());
    EXPECT_EQ(dy.values(), dx.values()) << "in place";
  });
}

TEST_P(Elementwise, AddRelu) {
  const std::vector<std::uint32_t> picked = {4, 0, 4, 2, 1};
  for_all_lengths_and_offsets([&](std::size_t size, std::size_t first, std::size_t second) {
    constexpr std::size_t kRows = 5;
    Array a(kRows * (size + 1), first, 1);
    Array b(kRows * size, second, 2);
    Array bias(size, first, 3);
    Array h(kRows * (size + 2), second, 4);
    const std::vector<float> old = h.values();
    const std::size_t stride = size + 2;
    // The rows of b: in order, picked, and always the same one.
    for (const RowSource& source : {RowSource{b.data(), size}, {b.data(), size, picked.data()}, {b.data(), 0}}) {
      add_relu(kRows, size, {a.data(), size + 1}, source, bias.data(), h.data(), stride);
      for (std::size_t i = 0; i < kRows; ++i) {
        const std::size_t from = source.index != nullptr ? picked[i] : i;
        for (std::size_t j = 0; j < size; ++j) {
          const float sum = a[i * (size + 1) + j] + source.data[from * source.stride + j] + bias[j];
          ASSERT_EQ(h[i * stride + j], std::max(sum, 0.0f));
        }
        ASSERT_EQ(h[i * stride + size], old[i * stride + size]) << "written between the rows";
      }
    }
    EXPECT_TRUE(h.intact());
  });
}

TEST_P(Elementwise, AddRows) {
  for_all_lengths_and_offsets([](std::size_t size, std::size_t first, std::size_t second) {
    constexpr std::size_t kRows = 7;
    Array x(kRows * (size + 1), first, 1);
    Array sum(size, second, 2);
    std::vector<float> expected = sum.values();
    add_rows(kRows, size, x.data(), size + 1, sum.data());
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = 0; i < kRows; ++i) expected[j] += x[i * (size + 1) + j];
    }
    EXPECT_EQ(sum.values(), expected) << "one after the other, to the bit";
    EXPECT_TRUE(sum.intact());
  });
}

TEST_P(Elementwise, ShowsThatAnInputIsNotANumber) {
  Array x(37, 0, 1);
  x[3] = x[36] = std::numeric_limits<float>::quiet_NaN();
  relu(37, x.data(), x.data());
  for (std::size_t i = 0; i < 37; ++i) EXPECT_EQ(std::isnan(x[i]), i == 3 || i == 36);
}

}  // namespace
}  // namespace linn
