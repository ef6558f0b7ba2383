// Kernels over rows that may lie anywhere: gathered, scattered, or one vector for all rows.
#pragma once

#include <cstddef>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matrix.h"

namespace linn {

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
