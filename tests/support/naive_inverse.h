// The inverse of a matrix, computed plainly.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace linn {

using Square = std::vector<std::vector<double>>;

// Gauss–Jordan elimination beside the identity, with the largest pivot of each column.
inline Square naive_inverse(Square a) {
  const std::size_t n = a.size();
  Square b(n, std::vector<double>(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) b[i][i] = 1.0;
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t largest = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(a[r][c]) > std::abs(a[largest][c])) largest = r;
    }
    std::swap(a[c], a[largest]);
    std::swap(b[c], b[largest]);
    const double pivot = a[c][c];
    for (std::size_t j = 0; j < n; ++j) {
      a[c][j] /= pivot;
      b[c][j] /= pivot;
    }
    for (std::size_t r = 0; r < n; ++r) {
      const double factor = a[r][c];
      if (r == c) continue;
      for (std::size_t j = 0; j < n; ++j) {
        a[r][j] -= factor * a[c][j];
        b[r][j] -= factor * b[c][j];
      }
    }
  }
  return b;
}

}  // namespace linn
