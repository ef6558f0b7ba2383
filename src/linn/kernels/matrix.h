// Matrices of float32, stored row by row: views that own nothing, rows that may lie anywhere, and an owning matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "linn/base/aligned.h"

namespace linn {

struct MatrixView {
  float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;  // floats from one row to the next

  float* row(std::size_t i) const { return data + i * stride; }
};

struct ConstMatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  ConstMatrixView() = default;
  ConstMatrixView(const float* first, std::size_t row_count, std::size_t col_count, std::size_t row_stride)
      : data(first), rows(row_count), cols(col_count), stride(row_stride) {}
  ConstMatrixView(const MatrixView& other)  // NOLINT(google-explicit-constructor): a writable view can be read
      : data(other.data), rows(other.rows), cols(other.cols), stride(other.stride) {}

  const float* row(std::size_t i) const { return data + i * stride; }
};

// Rows to read, in order or picked by index: row i begins at data + (index ? index[i] : i) * stride. With stride 0
// every row is the same vector.
struct RowSource {
  const float* data = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* index = nullptr;
};

// Rows to write, addressed like those of a RowSource. Rows picked by index must be distinct, except in accumulate_rows,
// which adds one row after the other. With stride 0 all rows are one vector, which makes sense only for adding.
struct RowTarget {
  float* data = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* index = nullptr;
};

// A matrix with its own memory and no gaps between its rows. Like AlignedArray it only grows.
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

// target = source and target += source, for equal shapes. Copying a matrix onto itself does nothing.
void copy_matrix(const ConstMatrixView& source, const MatrixView& target);
void add_matrix(const ConstMatrixView& source, const MatrixView& target);
void fill_matrix(const MatrixView& target, float value);

// target[i] = source[rows[i]]
void gather_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

// target[rows[i]] = source[i] for distinct rows; the others stay as they are. The inverse of gather_rows.
void scatter_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

// target[rows[i]] += source[i], one after the other.
void add_to_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target);

}  // namespace linn
