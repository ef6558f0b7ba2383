#include "linn/kernels/symmetric_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "support/naive_inverse.h"
#include "targets.h"

namespace linn {
namespace {

// XᵀX + ridge·I, where X has the given number of rows.
Square random_gram(std::size_t size, std::size_t rows, double ridge, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<double> normal;
  Square x(rows, std::vector<double>(size));
  for (auto& row : x) {
    for (double& value : row) value = normal(generator);
  }
  Square gram(size, std::vector<double>(size, 0.0));
  for (const auto& row : x) {
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) gram[i][j] += row[i] * row[j];
    }
  }
  for (std::size_t i = 0; i < size; ++i) gram[i][i] += ridge;
  return gram;
}

SymmetricMatrix packed(const Square& square) {
  SymmetricMatrix matrix(square.size());
  for (std::size_t i = 0; i < square.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) matrix.at(i, j) = square[i][j];
  }
  return matrix;
}

Square unpacked(const SymmetricMatrix& matrix) {
  Square square(matrix.size(), std::vector<double>(matrix.size()));
  for (std::size_t i = 0; i < matrix.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) square[i][j] = square[j][i] = matrix.at(i, j);
  }
  return square;
}

// The largest element of |A·B - I|.
double residual(const Square& a, const Square& b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::vector<double> row(a.size(), 0.0);
    row[i] = -1.0;
    for (std::size_t k = 0; k < a.size(); ++k) {
      for (std::size_t j = 0; j < a.size(); ++j) row[j] += a[i][k] * b[k][j];
    }
    for (const double value : row) largest = std::max(largest, std::abs(value));
  }
  return largest;
}

class SymmetricInverse : public EveryInstructionSet {};
LINN_TEST_EVERY_INSTRUCTION_SET(SymmetricInverse);

TEST_P(SymmetricInverse, AgreesWithGaussJordanElimination) {
  ThreadPool threads(2);
  for (const std::size_t n : {1u, 2u, 3u, 7u, 16u, 31u, 100u, 191u, 192u, 193u, 200u, 384u, 391u}) {
    const Square a = random_gram(n, 2 * n, 1.0, static_cast<unsigned>(n));
    SymmetricMatrix matrix = packed(a);
    ASSERT_TRUE(invert_positive_definite(matrix, threads));
    const Square inverse = unpacked(matrix);
    const Square expected = naive_inverse(a);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) ASSERT_NEAR(inverse[i][j], expected[i][j], 1e-12) << n;
    }
  }
}

// Half of the eigenvalues are the ridge and others about 1,000, so that the condition number reaches 10⁹.
TEST_P(SymmetricInverse, IsAccurateForAnIllConditionedMatrix) {
  ThreadPool threads(2);
  for (const double ridge : {1.0, 1e-3, 1e-6}) {
    const Square a = random_gram(300, 150, ridge, 3);
    SymmetricMatrix matrix = packed(a);
    ASSERT_TRUE(invert_positive_definite(matrix, threads));
    EXPECT_LT(residual(a, unpacked(matrix)), 5 * residual(a, naive_inverse(a)));
  }
}

TEST_P(SymmetricInverse, HasTheSameBitsForAnyNumberOfThreads) {
  const Square a = random_gram(500, 600, 0.5, 4);
  SymmetricMatrix expected = packed(a);
  ThreadPool one(1);
  ASSERT_TRUE(invert_positive_definite(expected, one));
  for (const std::size_t count : {2u, 5u}) {
    SymmetricMatrix matrix = packed(a);
    ThreadPool threads(count);
    ASSERT_TRUE(invert_positive_definite(matrix, threads));
    EXPECT_EQ(unpacked(matrix), unpacked(expected));
  }
}

TEST_P(SymmetricInverse, RejectsWhatIsNotPositiveDefinite) {
  ThreadPool threads(2);
  const auto invertible = [&](const Square& square) {
    SymmetricMatrix matrix = packed(square);
    return invert_positive_definite(matrix, threads);
  };
  Square a = random_gram(250, 500, 0.0, 5);
  EXPECT_TRUE(invertible(a));
  for (const std::size_t i : {0u, 100u, 249u}) {
    for (const double value : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
      Square changed = a;
      changed[i][i] = value;
      EXPECT_FALSE(invertible(changed)) << i << " " << value;
    }
  }
  for (std::size_t i = 0; i < a.size(); ++i) a[200][i] = a[i][200] = a[7][i];
  a[200][200] = a[7][7];
  EXPECT_FALSE(invertible(a)) << "singular";
  EXPECT_FALSE(invertible(Square(20, std::vector<double>(20, 0.0))));
}

TEST(SymmetricMatrix, TellsHowFarTheInverseIs) {
  SymmetricMatrix matrix = packed(random_gram(500, 600, 0.5, 4));
  ThreadPool threads(2);
  std::vector<std::pair<std::size_t, std::size_t>> steps;
  ASSERT_TRUE(invert_positive_definite(matrix, threads,
                                       [&](std::size_t done, std::size_t total) { steps.emplace_back(done, total); }));
  EXPECT_EQ(steps, (std::vector<std::pair<std::size_t, std::size_t>>{{1, 3}, {2, 3}, {3, 3}}));
}

TEST(SymmetricMatrix, MayBeEmpty) {
  SymmetricMatrix matrix(0);
  ThreadPool threads(2);
  EXPECT_TRUE(invert_positive_definite(matrix, threads));
}

}  // namespace
}  // namespace linn
