// Large symmetric float64 matrices and their inverse.
//
//   SymmetricMatrix a(n);
//   a.at(i, j) = ...;  // for j ≤ i; all else is zero
//   if (invert_positive_definite(a, threads)) use(a.at(i, j));
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <functional>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"

namespace linn {

// The lower triangle, half the memory of the whole matrix, in square tiles that lie row after row. The elements of a
// tile are contiguous, so that products of tiles stay in the cache.
class SymmetricMatrix {
 public:
  static constexpr std::size_t kTile = 192;  // three tiles fit in a second-level cache of 1 MB

  // All zeros.
  explicit SymmetricMatrix(std::size_t size) : size_(size), values_(tiles() * (tiles() + 1) / 2 * kTile * kTile) {}

  std::size_t size() const { return size_; }

  // j ≤ i.
  double& at(std::size_t i, std::size_t j) {
    assert(j <= i && i < size_);
    return tile(i / kTile, j / kTile)[i % kTile * kTile + j % kTile];
  }
  double at(std::size_t i, std::size_t j) const { return const_cast<SymmetricMatrix&>(*this).at(i, j); }

  // Tiles per row. All have kTile² elements, of which the last ones use only the first `extent` rows or columns.
  std::size_t tiles() const { return (size_ + kTile - 1) / kTile; }
  std::size_t extent(std::size_t tile_row) const { return std::min(kTile, size_ - tile_row * kTile); }
  // Row by row; column ≤ row. Elements of a diagonal tile above the diagonal have no meaning.
  double* tile(std::size_t row, std::size_t column) {
    return values_.data() + (row * (row + 1) / 2 + column) * kTile * kTile;
  }

 private:
  std::size_t size_;
  AlignedArray<double> values_;
};

// Replaces the matrix by its inverse. Returns false, and leaves the content undefined, if the matrix is not positive
// definite or so close to singular that rounding errors would exceed the result. The result has the same bits for any
// number of threads. `progress` is called after each of `total` steps that take the same time.
[[nodiscard]] bool invert_positive_definite(
    SymmetricMatrix& matrix, ThreadPool& threads,
    const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace linn
