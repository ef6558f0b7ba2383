// The two passes of a softmax over the rows of a matrix that is computed panel by panel (ranges of columns).
//
//   fill max with -infinity and sum with zeros
//   raise_row_maxima(panel, max)         for every panel
//   exp_rows(panel, max, sum)            for every panel; the softmax is panel[i][j] / sum[i]
//
// A row's result does not depend on the other rows. NaN stays NaN.
#pragma once

#include <cstddef>

namespace linn {

// max[i] = max(max[i], x[i][0], x[i][1], ...)
void raise_row_maxima(std::size_t rows, std::size_t columns, const float* x, std::size_t stride, float* max);

// x[i][j] = exp(x[i][j] - minus[i]) and sum[i] += x[i][0] + x[i][1] + ...
void exp_rows(std::size_t rows, std::size_t columns, float* x, std::size_t stride, const float* minus, double* sum);

}  // namespace linn
