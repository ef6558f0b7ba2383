// A hidden layer over all pairs of rows of two matrices, without a vector for a pair:
//
//   f(i, j) = Σ_h u_h max(a_ih + b_jh, 0)
//
// With g_ij the gradient of f(i, j), the sums
//
//   A_ih = Σ_j g_ij [a_ih + b_jh > 0]        B_jh = Σ_i g_ij [a_ih + b_jh > 0]
//
// give all gradients: da = u * A, db = u * B, and, since max(x, 0) = x [x > 0], du_h = Σ_i a_ih A_ih + Σ_j b_jh B_jh.
//
// Matrices are stored row by row, a, b, A and B without gaps; strides are in floats. All sizes and alignments are
// allowed. The result for a row or a pair does not depend on the other rows; only B_jh depends on where ranges of rows
// begin. NaN in a or b makes f NaN.
#pragma once

#include <cstddef>

#include "linn/kernels/matrix.h"

namespace linn {

struct PairShape {
  std::size_t rows;    // of a
  std::size_t items;   // rows of b
  std::size_t hidden;  // columns of both
};

// scores[i][j] += f(i, j). Takes the transpose of b: element (j, h) is b_transposed[h * b_stride + j].
void add_pair_relu(const PairShape& shape, const float* a, const float* b_transposed, std::size_t b_stride,
                   const float* u, float* scores, std::size_t scores_stride);

// out[i] += Σ_h u_h max(a_ih + b_ih, 0): pairs of rows that may lie anywhere.
void add_pair_relu_rows(std::size_t rows, std::size_t hidden, const RowSource& a, const RowSource& b, const float* u,
                        float* out);

// Adds A to a_sums and B to b_sums.
void add_pair_relu_sums(const PairShape& shape, const float* a, const float* b, const float* g, std::size_t g_stride,
                        float* a_sums, float* b_sums);

}  // namespace linn
