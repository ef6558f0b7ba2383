#include "linn/kernels/matrix.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"

namespace linn {

MatrixView row_range(const MatrixView& matrix, std::size_t begin, std::size_t count) {
  assert(begin + count <= matrix.rows);
  return {matrix.row(begin), count, matrix.cols, matrix.stride};
}

ConstMatrixView row_range(const ConstMatrixView& matrix, std::size_t begin, std::size_t count) {
  assert(begin + count <= matrix.rows);
  return {matrix.row(begin), count, matrix.cols, matrix.stride};
}

MatrixView column_range(const MatrixView& matrix, std::size_t begin, std::size_t count) {
  assert(begin + count <= matrix.cols);
  return {matrix.data + begin, matrix.rows, count, matrix.stride};
}

ConstMatrixView column_range(const ConstMatrixView& matrix, std::size_t begin, std::size_t count) {
  assert(begin + count <= matrix.cols);
  return {matrix.data + begin, matrix.rows, count, matrix.stride};
}

void copy_matrix(const ConstMatrixView& source, const MatrixView& target) {
  assert(source.rows == target.rows && source.cols == target.cols);
  if (source.data == target.data) return;
  for (std::size_t i = 0; i < source.rows; ++i) std::copy_n(source.row(i), source.cols, target.row(i));
}

void add_matrix(const ConstMatrixView& source, const MatrixView& target) {
  assert(source.rows == target.rows && source.cols == target.cols);
  for (std::size_t i = 0; i < source.rows; ++i) axpy(source.cols, 1.0F, source.row(i), target.row(i));
}

void fill_matrix(const MatrixView& target, float value) {
  for (std::size_t i = 0; i < target.rows; ++i) std::fill_n(target.row(i), target.cols, value);
}

void gather_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target) {
  assert(target.rows == rows.size() && source.cols == target.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    assert(rows[i] < source.rows);
    std::copy_n(source.row(rows[i]), source.cols, target.row(i));
  }
}

void scatter_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target) {
  assert(source.rows == rows.size() && source.cols == target.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    assert(rows[i] < target.rows);
    std::copy_n(source.row(i), source.cols, target.row(rows[i]));
  }
}

void add_to_rows(const ConstMatrixView& source, std::span<const std::uint32_t> rows, const MatrixView& target) {
  assert(source.rows == rows.size() && source.cols == target.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    assert(rows[i] < target.rows);
    axpy(source.cols, 1.0F, source.row(i), target.row(rows[i]));
  }
}

}  // namespace linn
