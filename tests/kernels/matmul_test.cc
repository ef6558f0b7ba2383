#include "linn/kernels/matmul.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "targets.h"

namespace linn {
namespace {

class Matmul : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(Matmul);

// A product with all its operands in arrays of their own. The strides leave gaps between rows that must stay as they
// are.
template <class T>
struct CaseOf {
  using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;

  MatmulShape shape;
  bool transpose_left = false;
  std::size_t gap = 0;
  std::size_t offset = 0;

  std::size_t left_stride = (transpose_left ? shape.rows : shape.inner) + gap;
  std::size_t stride = shape.columns + gap;
  ArrayOf<T> left = ArrayOf<T>((transpose_left ? shape.inner : shape.rows) * left_stride, offset, 1);
  ArrayOf<T> right = ArrayOf<T>(shape.inner * stride, offset / 2, 2);
  ArrayOf<T> result = ArrayOf<T>(shape.rows * stride, offset + 1, 3);
  ArrayOf<T> bias = ArrayOf<T>(shape.columns, offset + 2, 4);

  LeftOperandOf<T> left_operand() {
    return transpose_left ? transposed(left.data(), left_stride) : by_rows(left.data(), left_stride);
  }
  MatmulOptionsOf<T> options(bool accumulate, bool with_bias, bool relu) {
    return {.accumulate = accumulate, .bias = with_bias ? bias.data() : nullptr, .relu = relu};
  }
  void run(const MatmulOptionsOf<T>& options) {
    matmul(shape, left_operand(), right.data(), stride, result.data(), stride, options);
  }

  // Compares with the definition, in higher precision.
  void check(const MatmulOptionsOf<T>& options) {
    SCOPED_TRACE(testing::Message() << shape.rows << "×" << shape.columns << "×" << shape.inner << " transposed "
                                    << transpose_left << " gap " << gap << " offset " << offset << " accumulate "
                                    << options.accumulate << " bias " << (options.bias != nullptr) << " relu "
                                    << options.relu);
    const std::vector<T> old = result.values();
    run(options);
    const LeftOperandOf<T> a = left_operand();
    const std::vector<T> now = result.values();
    for (std::size_t i = 0; i < shape.rows; ++i) {
      for (std::size_t j = 0; j < stride; ++j) {
        const std::size_t at = i * stride + j;
        if (j >= shape.columns) {
          ASSERT_EQ(now[at], old[at]) << "written between the rows";
          continue;
        }
        Exact sum = (options.accumulate ? old[at] : Exact{0}) + (options.bias != nullptr ? options.bias[j] : Exact{0});
        Exact size = std::abs(sum);
        for (std::size_t k = 0; k < shape.inner; ++k) {
          const Exact product = Exact{a.data[i * a.row_stride + k * a.inner_stride]} * Exact{right[k * stride + j]};
          sum += product;
          size += std::abs(product);
        }
        if (options.relu && sum < 0) sum = 0;
        // Rounding errors of a sum grow with the root of its length at random; ten times that is far out.
        const Exact tolerance =
            5 * std::numeric_limits<T>::epsilon() * size * (1 + std::sqrt(static_cast<Exact>(shape.inner)) / 8) +
            Exact{1e-30};
        ASSERT_LE(std::abs(now[at] - sum), tolerance) << "row " << i << " column " << j;
      }
    }
    EXPECT_TRUE(result.intact());
  }
};
using Case = CaseOf<float>;

template <class T>
void check_small_shapes() {
  for (std::size_t rows = 1; rows <= 13; ++rows) {
    for (const std::size_t columns :
         {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 15u, 16u, 17u, 23u, 31u, 33u, 48u, 63u, 64u, 65u, 100u, 130u}) {
      for (const std::size_t inner : {1u, 2u, 5u, 16u}) {
        const bool transpose_left = (rows + columns + inner) % 2 == 0;
        CaseOf<T> test{.shape = {rows, columns, inner}, .transpose_left = transpose_left};
        test.check({});
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}
TEST_P(Matmul, EqualsTheDefinitionForAllSmallShapes) {
  check_small_shapes<float>();
  check_small_shapes<double>();
}

template <class T>
void check_options_offsets_and_gaps() {
  for (const MatmulShape shape : {MatmulShape{7, 21, 9}, {12, 64, 64}, {5, 129, 30}, {20, 80, 1}, {50, 80, 20}}) {
    for (const bool transpose_left : {false, true}) {
      for (const std::size_t offset : kOffsets) {
        for (unsigned bits = 0; bits < 8; ++bits) {
          CaseOf<T> test{.shape = shape, .transpose_left = transpose_left, .gap = offset % 4, .offset = offset};
          test.check(test.options((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0));
          if (testing::Test::HasFatalFailure()) return;
        }
      }
    }
  }
}
TEST_P(Matmul, EqualsTheDefinitionWithAllOptionsOffsetsAndGaps) {
  check_options_offsets_and_gaps<float>();
  check_options_offsets_and_gaps<double>();
}

template <class T>
void check_blocks_of_the_sum() {
  for (const std::size_t inner : {511u, 512u, 513u, 1024u, 1300u}) {
    for (const bool transpose_left : {false, true}) {
      CaseOf<T> plain{.shape = {13, 75, inner}, .transpose_left = transpose_left, .gap = 1};
      plain.check({});
      CaseOf<T> all{.shape = {8, 64, inner}, .transpose_left = transpose_left};
      all.check(all.options(true, true, true));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}
TEST_P(Matmul, EqualsTheDefinitionWhereTheSumIsCutIntoBlocks) {
  check_blocks_of_the_sum<float>();
  check_blocks_of_the_sum<double>();
}

// The order of the sum is promised to the bit, with fused multiply-adds or without.
TEST_P(Matmul, AddsInTheOrderOfTheInnerIndex) {
  Case test{.shape = {17, 70, 700}};
  std::vector<float> fused(17 * 70);
  std::vector<float> rounded(17 * 70);
  for (std::size_t i = 0; i < 17; ++i) {
    for (std::size_t j = 0; j < 70; ++j) {
      float& fused_sum = fused[i * 70 + j];
      float& rounded_sum = rounded[i * 70 + j];
      fused_sum = rounded_sum = test.result[i * 70 + j] + test.bias[j];
      for (std::size_t k = 0; k < 700; ++k) {
        const float a = test.left[i * 700 + k];
        const float b = test.right[k * 70 + j];
        fused_sum = std::fma(a, b, fused_sum);
        const volatile float product = a * b;
        rounded_sum += product;
      }
    }
  }
  test.run(test.options(true, true, false));
  EXPECT_TRUE(test.result.values() == fused || test.result.values() == rounded);
  if (GetParam().starts_with("AVX")) {
    EXPECT_EQ(test.result.values(), fused);
  }
}

TEST_P(Matmul, OfNothing) {
  Case no_inner{.shape = {3, 20, 0}};
  no_inner.check({});
  no_inner.check(no_inner.options(true, true, true));
  Case no_rows{.shape = {0, 20, 3}};
  no_rows.check({});
  Case no_columns{.shape = {3, 0, 3}, .gap = 2};
  no_columns.check({});
}

TEST_P(Matmul, ShowsThatAnInputIsNotANumber) {
  Case test{.shape = {9, 20, 5}};
  test.left[7 * test.left_stride + 2] = std::nanf("");
  test.run(test.options(false, false, true));
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < 20; ++j) EXPECT_EQ(std::isnan(test.result[i * test.stride + j]), i == 7);
  }
}

// Threads share a product by rows; the result must not depend on how.
TEST_P(Matmul, HasTheSameBitsForAnySplit) {
  std::mt19937 generator(5);
  for (const MatmulShape shape : {MatmulShape{61, 100, 37}, {50, 64, 600}, {33, 17, 530}}) {
    for (const bool transpose_left : {false, true}) {
      Case whole{.shape = shape, .transpose_left = transpose_left, .gap = 3};
      const MatmulOptions options = whole.options(true, true, false);
      const Array start = whole.result;
      whole.run(options);
      const std::vector<float> expected = whole.result.values();
      for (int round = 0; round < 20; ++round) {
        const auto cut = [&](std::size_t size) {
          return std::uniform_int_distribution<std::size_t>(0, size)(generator);
        };
        const std::size_t rows[] = {0, cut(shape.rows), shape.rows};
        const std::size_t columns[] = {0, cut(shape.columns), shape.columns};
        const std::size_t inner[] = {0, cut(shape.inner), shape.inner};
        const LeftOperand a = whole.left_operand();
        Array result = start;
        for (int k = 0; k < 2; ++k) {
          for (int i = 0; i < 2; ++i) {
            for (int j = 0; j < 2; ++j) {
              const MatmulShape part{rows[i + 1] - rows[i], columns[j + 1] - columns[j], inner[k + 1] - inner[k]};
              const float* bias = k == 0 ? options.bias + columns[j] : nullptr;
              matmul(part, {a.data + rows[i] * a.row_stride + inner[k] * a.inner_stride, a.row_stride, a.inner_stride},
                     whole.right.data() + inner[k] * whole.stride + columns[j], whole.stride,
                     result.data() + rows[i] * whole.stride + columns[j], whole.stride,
                     {.accumulate = true, .bias = bias});
            }
          }
        }
        ASSERT_EQ(result.values(), expected) << rows[1] << " " << columns[1] << " " << inner[1];
      }
    }
  }
}

TEST(Transpose, PutsRowsIntoColumns) {
  for (const std::size_t rows : {1u, 2u, 15u, 16u, 17u, 40u}) {
    for (const std::size_t columns : {1u, 3u, 16u, 33u}) {
      Array source(rows * (columns + 2), 1, 6);
      Array target(columns * (rows + 1), 0, 7);
      const std::vector<float> old = target.values();
      transpose(rows, columns, source.data(), columns + 2, target.data(), rows + 1);
      for (std::size_t j = 0; j < columns; ++j) {
        for (std::size_t i = 0; i < rows; ++i) ASSERT_EQ(target[j * (rows + 1) + i], source[i * (columns + 2) + j]);
        ASSERT_EQ(target[j * (rows + 1) + rows], old[j * (rows + 1) + rows]);
      }
      EXPECT_TRUE(target.intact());
    }
  }
}

}  // namespace
}  // namespace linn
