// Kernels over rows that may lie anywhere: gathered, scattered, or one vector for all.
#pragma once

#include <cstddef>
#include <cstdint>

#include "linn/kernels/elementwise.h"

namespace linn {

// Rows to write to: row i begins at data + (index ? index[i] : i) * stride. With stride 0 all rows are one vector,
// which makes sense only for adding. Rows picked by index must be
// distinct, except for accumulate_rows, which adds them one after the other.
struct RowTarget {
  float* data = nullptr;
  std::size_t stride = 0;
  const std::uint32_t* index = nullptr;
};

// out[i] = the sum over j of a[i][j] * b[i][j]
void dot_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowSource& b, float* out);

// out[i][j] = x[i] * a[i][j] + y[i] * b[i][j], or added to it. The output may be a or b itself.
void blend_rows(std::size_t rows, std::size_t columns, const float* x, const RowSource& a, const float* y,
                const RowSource& b, const RowTarget& out, bool accumulate);

// out[i][j] += a[i][j], one row after the other.
void accumulate_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out);

// out[i][j] = a[i][j]
void copy_rows(std::size_t rows, std::size_t columns, const RowSource& a, const RowTarget& out);

}  // namespace linn
