// Helpers for the layer tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/layers/layer.h"
#include "linn/layers/sequence_batch.h"
#include "linn/nn/parameters.h"
#include "support/gradient_check.h"

namespace linn {

using Vector = std::vector<double>;

inline constexpr double kClose = 2e-5;

// Batches with sequences of one element, of equal and of different lengths, not in order, from large to small and back.
inline const std::vector<std::vector<std::uint32_t>> kBatches = {{3, 1, 5, 2, 5}, {1}, {4, 4, 4}, {1, 1, 2}, {7, 6}};

inline Matrix random_matrix(std::size_t rows, std::size_t cols, std::uint64_t seed, double deviation = 1) {
  Matrix matrix(rows, cols);
  Random random(seed);
  for (float& value : matrix.span()) value = static_cast<float>(deviation * random.normal());
  return matrix;
}

// A matrix to be overwritten: adding to it leaves NaN.
inline Matrix unset_matrix(std::size_t rows, std::size_t cols) {
  Matrix matrix(rows, cols);
  matrix.fill(std::numeric_limits<float>::quiet_NaN());
  return matrix;
}

// Parameters large enough for the functions to be curved.
inline void draw_parameters(ParameterSet& parameters) {
  Random random(99);
  parameters.initialize_normal(random, 0.5F);
}

// The gradients that backward(gradients) computes. Checks that a second call adds the same again.
template <class Backward>
ParameterGradients gradients_of(const ParameterSet& parameters, const Backward& backward) {
  ParameterGradients once(parameters);
  backward(once);
  ParameterGradients twice = once;
  backward(twice);
  for (std::size_t i = 0; i < once.values().size(); ++i) {
    EXPECT_NEAR(twice.values()[i], 2 * once.values()[i], kClose * (1 + std::abs(once.values()[i]))) << i;
  }
  return once;
}

inline std::vector<float> values_of(std::span<const float> values) { return {values.begin(), values.end()}; }

inline Vector row_of(const ConstMatrixView& matrix, std::size_t row) {
  return {matrix.row(row), matrix.row(row) + matrix.cols};
}

// x·w + b, the obvious way. The bias may be empty.
inline Vector naive_linear(const Vector& x, const ConstMatrixView& weight, const Vector& bias = {}) {
  Vector y(weight.cols, 0.0);
  for (std::size_t j = 0; j < weight.cols; ++j) {
    for (std::size_t i = 0; i < weight.rows; ++i) y[j] += x[i] * double{weight.row(i)[j]};
    if (!bias.empty()) y[j] += bias[j];
  }
  return y;
}

// The value of a parameter by name.
inline ConstMatrixView named(const ParameterSet& parameters, const std::string& name) {
  for (std::size_t i = 0; i < parameters.list().size(); ++i) {
    if (parameters.list()[i].name == name) return parameters.value(i);
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

inline Vector named_row(const ParameterSet& parameters, const std::string& name) {
  return row_of(named(parameters, name), 0);
}

inline void expect_row(const ConstMatrixView& matrix, std::size_t row, const Vector& expected) {
  ASSERT_EQ(matrix.cols, expected.size());
  for (std::size_t j = 0; j < expected.size(); ++j)
    EXPECT_NEAR(matrix.row(row)[j], expected[j], kClose) << row << " " << j;
}

// The elements of a sequence of the batch, in order.
inline std::vector<Vector> sequence_of(const SequenceBatch& batch, const ConstMatrixView& packed,
                                       std::size_t sequence) {
  std::vector<Vector> elements;
  for (std::size_t t = 0; t < batch.length(sequence); ++t) elements.push_back(row_of(packed, batch.row(sequence, t)));
  return elements;
}

// run(lengths, cache) goes forward and backward and returns all results. They must not depend on the earlier use of the
// cache.
template <class Cache, class Run>
void expect_cache_reusable(const Run& run) {
  Cache used;
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::vector<std::uint32_t>& lengths : kBatches) {
      Cache fresh;
      const std::vector<float> expected = run(lengths, fresh);
      EXPECT_EQ(run(lengths, used), expected);
      EXPECT_EQ(run(lengths, fresh), expected);
    }
  }
}

// All parts one after the other.
inline std::vector<float> joined(std::initializer_list<std::span<const float>> parts) {
  std::vector<float> all;
  for (const std::span<const float> part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace linn
