// Products of float32 matrices, which dominate a training step, and of float64 matrices.
//
//   // y = relu(x·w + b) for 1,024 rows of 64 numbers, w a 64×128 matrix
//   matmul({1024, 128, 64}, by_rows(x, 64), w, 128, y, 128, {.bias = b, .relu = true});
//   // the gradient of w, added to what is there: dw += xᵀ·dy
//   matmul({64, 128, 1024}, transposed(x, 64), dy, 128, dw, 128, {.accumulate = true});
//
// Matrices are stored row by row; a stride is the distance between the starts of two rows, in elements. All sizes and
// alignments are allowed. Nothing is allocated.
//
// An element of the result is start + a[i][0]·b[0][j] + a[i][1]·b[1][j] + ..., added in exactly that order for all
// sizes: a product computed in several parts (ranges of rows, columns, or of the summed index with accumulate) has the
// same bits as one computed at once. Instruction sets without fused multiply-add round every product and so differ from
// those with it.
#pragma once

#include <algorithm>
#include <cstddef>

namespace linn {

// result[rows × columns] from left[rows × inner] and right[inner × columns].
struct MatmulShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t inner;
};

// Element (i, k) is data[i * row_stride + k * inner_stride].
template <class T>
struct LeftOperandOf {
  const T* data;
  std::size_t row_stride;
  std::size_t inner_stride;
};
using LeftOperand = LeftOperandOf<float>;

// The matrix as stored.
template <class T>
LeftOperandOf<T> by_rows(const T* data, std::size_t stride) {
  return {data, stride, 1};
}

// The transpose of a stored matrix.
template <class T>
LeftOperandOf<T> transposed(const T* data, std::size_t stride) {
  return {data, 1, stride};
}

// relu(start + left·right), where the start is zero plus the old value of the result plus the bias, as the options say.
template <class T>
struct MatmulOptionsOf {
  bool accumulate = false;
  const T* bias = nullptr;  // one number per column, added to every row
  bool relu = false;
};
using MatmulOptions = MatmulOptionsOf<float>;

// The result must overlap none of the inputs. With inner = 0 the product is zero.
void matmul(const MatmulShape& shape, const LeftOperandOf<float>& left, const float* right, std::size_t right_stride,
            float* result, std::size_t result_stride, const MatmulOptionsOf<float>& options = {});
void matmul(const MatmulShape& shape, const LeftOperandOf<double>& left, const double* right, std::size_t right_stride,
            double* result, std::size_t result_stride, const MatmulOptionsOf<double>& options = {});

// target[j][i] = source[i][j]. A product with a transposed right side, such as the gradient of a layer's input
// (dx = dy·wᵀ), is a product with the transpose: w is small and transposed once per step.
template <class T>
void transpose(std::size_t rows, std::size_t columns, const T* source, std::size_t source_stride, T* target,
               std::size_t target_stride) {
  // Squares of a few cache lines, so that the lines of both sides are used up while they are in the cache.
  constexpr std::size_t kSquare = 16;
  for (std::size_t row = 0; row < rows; row += kSquare) {
    const std::size_t row_end = std::min(rows, row + kSquare);
    for (std::size_t column = 0; column < columns; column += kSquare) {
      const std::size_t column_end = std::min(columns, column + kSquare);
      for (std::size_t j = column; j < column_end; ++j) {
        for (std::size_t i = row; i < row_end; ++i) target[j * target_stride + i] = source[i * source_stride + j];
      }
    }
  }
}

}  // namespace linn
