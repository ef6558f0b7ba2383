// Products of float32 matrices, which dominate a training step.
//
//   // y = relu(x·w + b) for 1,024 rows of 64 numbers, w a 64×128 matrix
//   matmul({1024, 128, 64}, by_rows(x, 64), w, 128, y, 128, {.bias = b, .relu = true});
//   // the gradient of w, added to what is there: dw += xᵀ·dy
//   matmul({64, 128, 1024}, transposed(x, 64), dy, 128, dw, 128, {.accumulate = true});
//
// Matrices are stored row by row; a stride is the distance between the starts of two rows, in floats. All sizes and
// alignments are allowed. Nothing is allocated.
//
// An element of the result is start + a[i][0]·b[0][j] + a[i][1]·b[1][j] + ..., added in exactly that order for all
// sizes: a product computed in several parts (ranges of rows, columns, or of the summed index with accumulate) has the
// same bits as one computed at once. Instruction sets without fused multiply-add round every product and so differ from
// those with it.
#pragma once

#include <cstddef>

namespace linn {

// result[rows × columns] from left[rows × inner] and right[inner × columns].
struct MatmulShape {
  std::size_t rows;
  std::size_t columns;
  std::size_t inner;
};

// Element (i, k) is data[i * row_stride + k * inner_stride].
struct LeftOperand {
  const float* data;
  std::size_t row_stride;
  std::size_t inner_stride;
};

// The matrix as stored.
inline LeftOperand by_rows(const float* data, std::size_t stride) { return {data, stride, 1}; }

// The transpose of a stored matrix.
inline LeftOperand transposed(const float* data, std::size_t stride) { return {data, 1, stride}; }

// relu(start + left·right), where the start is zero plus the old value of the result plus the bias, as the options say.
struct MatmulOptions {
  bool accumulate = false;
  const float* bias = nullptr;  // one number per column, added to every row
  bool relu = false;
};

// The result must overlap none of the inputs. With inner = 0 the product is zero.
void matmul(const MatmulShape& shape, const LeftOperand& left, const float* right, std::size_t right_stride,
            float* result, std::size_t result_stride, const MatmulOptions& options = {});

// target[j][i] = source[i][j]. A product with a transposed right side, such as the gradient of a layer's input
// (dx = dy·wᵀ), is a product with the transpose: w is small and transposed once per step.
void transpose(std::size_t rows, std::size_t columns, const float* source, std::size_t source_stride, float* target,
               std::size_t target_stride);

}  // namespace linn
