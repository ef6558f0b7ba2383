// Vector kernels beside the matrix product: whole arrays or blocks of rows at a time.
//
// All lengths and alignments are allowed; strides are in floats. The result at one place does not depend on the length
// of the range or on where the arrays begin, so that work may be split anywhere. Sums are taken in an order that
// depends on the number of elements and the instruction set alone. Unless stated otherwise an output may be the same
// array as an input, but must not overlap it in another way. What is not a number stays so.
#pragma once

#include <cstddef>
#include <cstdint>

namespace linn {

// y[i] += a * x[i]
void axpy(std::size_t size, float a, const float* x, float* y);

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

// Rows of a matrix, in order or picked by index: row i begins at data + (index ? index[i] : i) * stride. With stride 0
// every row is the same vector.
struct RowSource {
  const float* data;
  std::size_t stride;
  const std::uint32_t* index = nullptr;
};

// h[i][j] = max(a[i][j] + b[i][j] + bias[j], 0), added from left to right. The first layer of a module whose operands
// are already projected.
void add_relu(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, const float* bias,
              float* h, std::size_t h_stride);

// sum[j] += x[0][j] + x[1][j] + ..., added one after the other, so that ranges of rows may follow each other. The
// gradient of a bias.
void add_rows(std::size_t rows, std::size_t columns, const float* x, std::size_t x_stride, float* sum);

// One step of Adam (Kingma & Ba, 2015).
struct AdamStep {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double correction1 = 1;   // 1 - beta1^t in step t = 1, 2, ...
  double correction2 = 1;   // 1 - beta2^t
  double weight_decay = 0;  // times p is added to the gradient
  double clip = 0;          // the gradient is cut to [-clip, clip] before that; 0: it is not
};

// p, m and v are updated with the gradient g, which is not changed:
//   g' = cut(g) + weight_decay·p
//   m  = beta1·m + (1 - beta1)·g'
//   v  = beta2·v + (1 - beta2)·g'²
//   p -= learning_rate · (m / correction1) / (√(v / correction2) + epsilon)
void adam_update(std::size_t size, const AdamStep& step, const float* g, float* m, float* v, float* p);

}  // namespace linn
