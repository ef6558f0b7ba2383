#include "linn/kernels/rows.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "targets.h"

namespace linn {
namespace {

class Rows : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(Rows);

constexpr std::size_t kRows = 5;
const std::vector<std::uint32_t> kPicked = {4, 0, 6, 2, 3};  // of seven rows
constexpr std::size_t kSourceRows = 7;
constexpr double kRounding = 3e-6;

// Rows in order, picked by index, and one row for all, each against a plain loop.
template <class Test>
void for_all_sources(const Test& test) {
  for (const std::size_t columns : {1U, 3U, 15U, 16U, 17U, 33U, 64U, 100U}) {
    for (const std::size_t offset : {0U, 1U, 5U}) {
      const std::size_t stride = columns + 2;
      Array memory(kSourceRows * stride, offset, 1);
      SCOPED_TRACE(testing::Message() << columns << " columns, offset " << offset);
      test(columns, RowSource{memory.data(), stride, nullptr});
      test(columns, RowSource{memory.data(), stride, kPicked.data()});
      test(columns, RowSource{memory.data(), 0, nullptr});
    }
  }
}

const float* row(const RowSource& source, std::size_t i) {
  return source.data + (source.index != nullptr ? source.index[i] : i) * source.stride;
}

TEST_P(Rows, Dot) {
  for_all_sources([](std::size_t columns, const RowSource& a) {
    Array b(kRows * columns, 3, 2);
    std::vector<float> out(kRows);
    dot_rows(kRows, columns, a, {b.data(), columns, nullptr}, out.data());
    for (std::size_t i = 0; i < kRows; ++i) {
      double expected = 0;
      for (std::size_t j = 0; j < columns; ++j) expected += double{row(a, i)[j]} * double{b[i * columns + j]};
      EXPECT_NEAR(out[i], expected, kRounding);
    }
  });
}

TEST_P(Rows, Blend) {
  for_all_sources([](std::size_t columns, const RowSource& a) {
    Array x(kRows, 0, 2), y(kRows, 1, 3), b(kRows * columns, 1, 4);
    for (const bool accumulate : {false, true}) {
      Array out(kSourceRows * columns, 2, 5);
      const std::vector<float> old = out.values();
      blend_rows(kRows, columns, x.data(), a, y.data(), {b.data(), columns, nullptr},
                 {out.data(), columns, kPicked.data()}, accumulate);
      for (std::size_t i = 0; i < kRows; ++i) {
        for (std::size_t j = 0; j < columns; ++j) {
          const std::size_t at = kPicked[i] * columns + j;
          const double start = accumulate ? double{old[at]} : 0.0;
          const double expected =
              start + double{x[i]} * double{row(a, i)[j]} + double{y[i]} * double{b[i * columns + j]};
          EXPECT_NEAR(out[at], expected, kRounding);
        }
      }
      for (const std::size_t untouched : {1U, 5U}) {
        for (std::size_t j = 0; j < columns; ++j) {
          EXPECT_EQ(out[untouched * columns + j], old[untouched * columns + j]);
        }
      }
      EXPECT_TRUE(out.intact());
    }
  });
}

TEST_P(Rows, BlendMayOverwriteItsInput) {
  constexpr std::size_t kColumns = 37;
  Array x(kRows, 0, 1), y(kRows, 0, 2), a(kRows * kColumns, 0, 3), b(kRows * kColumns, 0, 4);
  Array expected(kRows * kColumns, 0, 5);
  blend_rows(kRows, kColumns, x.data(), {a.data(), kColumns, nullptr}, y.data(), {b.data(), kColumns, nullptr},
             {expected.data(), kColumns, nullptr}, false);
  blend_rows(kRows, kColumns, x.data(), {a.data(), kColumns, nullptr}, y.data(), {b.data(), kColumns, nullptr},
             {b.data(), kColumns, nullptr}, false);
  EXPECT_EQ(b.values(), expected.values());
}

TEST_P(Rows, Accumulate) {
  for_all_sources([](std::size_t columns, const RowSource& a) {
    // All rows into one: added one after the other, to the bit.
    Array sum(columns, 1, 2);
    std::vector<float> expected = sum.values();
    accumulate_rows(kRows, columns, a, {sum.data(), 0, nullptr});
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) expected[j] += row(a, i)[j];
    }
    EXPECT_EQ(sum.values(), expected);
    EXPECT_TRUE(sum.intact());

    // A row named twice takes both.
    const std::vector<std::uint32_t> twice = {1, 0, 1, 2, 1};
    Array rows(3 * columns, 0, 3);
    expected = rows.values();
    accumulate_rows(kRows, columns, a, {rows.data(), columns, twice.data()});
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) expected[twice[i] * columns + j] += row(a, i)[j];
    }
    EXPECT_EQ(rows.values(), expected);
  });
}

TEST_P(Rows, Copy) {
  for_all_sources([](std::size_t columns, const RowSource& a) {
    Array out(kSourceRows * columns, 4, 2);
    copy_rows(kRows, columns, a, {out.data(), columns, kPicked.data()});
    for (std::size_t i = 0; i < kRows; ++i) {
      for (std::size_t j = 0; j < columns; ++j) EXPECT_EQ(out[kPicked[i] * columns + j], row(a, i)[j]);
    }
    EXPECT_TRUE(out.intact());
  });
}

}  // namespace
}  // namespace linn
