// Vector kernels besides the matrix product, over whole arrays or blocks of rows.
//
// All lengths and alignments are allowed; strides are in floats. The result at one place does not depend on the length
// of the range or on where the arrays begin, so work may be split anywhere. The order of a sum depends only on the
// number of elements and the instruction set. Unless stated otherwise an output may be the same array as an input, but
// must not overlap it in any other way. NaN stays NaN.
#pragma once

#include <cstddef>

#include "linn/kernels/matrix.h"

namespace linn {

// y[i] += a * x[i]
void axpy(std::size_t size, float a, const float* x, float* y);

// y[i] = a[i] * b[i]
void multiply(std::size_t size, const float* a, const float* b, float* y);

// y[i] += a[i] * b[i]
void multiply_add(std::size_t size, const float* a, const float* b, float* y);

// x[i] *= a
void scale(std::size_t size, float a, float* x);

// The sum of x[i] * y[i].
float dot(std::size_t size, const float* x, const float* y);

// The sum of x[i]².
float squared_norm(std::size_t size, const float* x);

// y[i] = max(x[i], 0)
void relu(std::size_t size, const float* x, float* y);

// dx[i] = x[i] > 0 ? dy[i] : 0. The output of relu may stand for its input x.
void relu_backward(std::size_t size, const float* x, const float* dy, float* dx);

// h[i][j] = max(a[i][j] + b[i][j] + bias[j], 0), added from left to right. The first layer of a module whose operands
// are already projected.
void add_relu(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, const float* bias,
              float* h, std::size_t h_stride);

// sum[j] += x[0][j] + x[1][j] + ..., added one after the other, so that ranges of rows may follow each other. The
// gradient of a bias.
void add_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t x_stride, float* sum);

}  // namespace linn
