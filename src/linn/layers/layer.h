// What the layers of the baselines have in common.
//
//   Linear layer(parameters, "score", 64, 1);         // adds score.weight and score.bias
//   Linear::Cache cache;                              // one for each place in the network where the layer is used
//   layer.forward(parameters, x, y, cache);           // writes y
//   layer.backward(parameters, x, dy, dx, cache);     // writes dx, adds to the gradients of weight and bias
//
// - A layer is sizes and numbers of parameters, and const: threads may share it, each with caches of its own.
// - Outputs and the gradients of inputs are overwritten; the gradients of parameters are added to.
// - The caller keeps the inputs (and outputs, where backward asks for them) until backward is done. The cache keeps the
//   rest between forward and backward. It serves batches of any size and allocates only for one larger than all before.
// - Matrices are stored row by row with any stride. Outputs overlap no inputs, unless stated.
// - A weight matrix is inputs × outputs, as matmul wants its right side: the transpose of PyTorch's.
// - Sums are taken in an order that depends on the shapes alone, so the same call gives the same bits.
// - Values start as zeros; ParameterSet::initialize_normal or the model gives them better ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/base/aligned.h"
#include "linn/nn/parameters.h"

namespace linn {

// A matrix that is only read.
struct ConstMatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  ConstMatrixView() = default;
  ConstMatrixView(const float* first, std::size_t row_count, std::size_t col_count, std::size_t row_stride)
      : data(first), rows(row_count), cols(col_count), stride(row_stride) {}
  ConstMatrixView(const MatrixView& other)  // NOLINT(google-explicit-constructor): what may be written may be read
      : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride) {}

  const float* row(std::size_t i) const { return data + i * stride; }
};

// A matrix with memory of its own, without gaps between its rows. Like AlignedArray it only grows.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : values_(rows * cols), rows_(rows), cols_(cols) {}

  // The content is undefined afterwards.
  void reshape(std::size_t rows, std::size_t cols) {
    values_.reshape(rows * cols);
    rows_ = rows;
    cols_ = cols;
  }
  void fill(float value) { values_.fill(value); }

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  float* data() { return values_.data(); }
  const float* data() const { return values_.data(); }
  float* row(std::size_t i) { return values_.data() + i * cols_; }
  const float* row(std::size_t i) const { return values_.data() + i * cols_; }
  std::span<float> span() { return values_.span(); }
  std::span<const float> span() const { return values_.span(); }
  MatrixView view() { return {values_.data(), rows_, cols_, cols_}; }
  ConstMatrixView view() const { return {values_.data(), rows_, cols_, cols_}; }

 private:
  AlignedArray<float> values_;
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
};

// A range of a matrix's rows or columns.
MatrixView row_range(const MatrixView& matrix, std::size_t begin, std::size_t count);
ConstMatrixView row_range(const ConstMatrixView& matrix, std::size_t begin, std::size_t count);
MatrixView column_range(const MatrixView& matrix, std::size_t begin, std::size_t count);
ConstMatrixView column_range(const ConstMatrixView& matrix, std::size_t begin, std::size_t count);

// A parameter's value, to be read.
ConstMatrixView parameter_value(const ParameterSet& parameters, std::size_t parameter);

// target = source and target += source, of equal shape. Copying a matrix onto itself does nothing.
void copy_matrix(const ConstMatrixView& source, const MatrixView& target);
void add_matrix(const ConstMatrixView& source, const MatrixView& target);
void fill_matrix(const MatrixView& target, float value);

// target[i] = source[rows[i]]
void gather_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

// target[rows[i]] = source[i], the rows being distinct; all others are left alone. The way back of a gather.
void scatter_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

// target[rows[i]] += source[i], one after the other.
void add_to_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

}  // namespace linn
