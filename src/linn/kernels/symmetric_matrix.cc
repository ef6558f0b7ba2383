// Inverts by sweeping (Gauss–Jordan elimination in place). With the matrix cut into pivot and rest, a sweep turns
//
//   | D  Cᵀ |        | -D⁻¹    D⁻¹Cᵀ      |
//   | C  B  |  into  | C·D⁻¹   B - C·D⁻¹Cᵀ |
//
// and once every pivot has been swept, the matrix is -A⁻¹. The pivots are diagonal tiles: nearly all of the n³
// operations are products of tiles that are independent of each other, while factorising, inverting the factor and
// multiplying it takes as many in three passes. With D = L·Lᵀ, C·D⁻¹Cᵀ is computed as Y·Yᵀ, Y = C·L⁻ᵀ: what is left of
// B then is as accurate as in a Cholesky factorisation, and the swept part is a sum of squares, whereas rounding errors
// of an explicit D⁻¹ would grow with the square of the condition number.

#include "linn/kernels/symmetric_matrix.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "linn/kernels/matmul.h"

namespace linn {
namespace {

constexpr std::size_t kTile = SymmetricMatrix::kTile;
constexpr std::size_t kTileSize = kTile * kTile;

// Writes L⁻¹, where L·Lᵀ is the tile, of which only the lower triangle is read; it is overwritten. Returns false if a
// pivot is not above its limit.
bool invert_factor(double* tile, std::span<const double> limits, double* inverse) {
  const std::size_t n = limits.size();
  std::array<double, kTile> column{};
  for (std::size_t p = 0; p < n; ++p) {
    const double pivot = tile[p * kTile + p];
    if (!(pivot > limits[p])) return false;
    const double root = std::sqrt(pivot);
    for (std::size_t i = p; i < n; ++i) tile[i * kTile + p] = column[i] = tile[i * kTile + p] / root;
    for (std::size_t i = p + 1; i < n; ++i) {
      for (std::size_t j = p + 1; j <= i; ++j) tile[i * kTile + j] -= column[i] * column[j];
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    double* row = inverse + i * kTile;
    std::fill_n(row, kTile, 0.0);
    row[i] = 1.0;
    for (std::size_t k = 0; k < i; ++k) {
      const double factor = tile[i * kTile + k];
      for (std::size_t j = 0; j <= k; ++j) row[j] -= factor * inverse[k * kTile + j];
    }
    for (std::size_t j = 0; j <= i; ++j) row[j] /= tile[i * kTile + i];
  }
  return true;
}

void negate(std::size_t rows, std::size_t columns, double* tile) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) tile[i * kTile + j] = -tile[i * kTile + j];
  }
}

}  // namespace

bool invert_positive_definite(SymmetricMatrix& matrix, ThreadPool& threads,
                              const std::function<void(std::size_t done, std::size_t total)>& progress) {
  const std::size_t n = matrix.size();
  const std::size_t tiles = matrix.tiles();
  // Elimination subtracts from the diagonal; what is left of it below this limit is rounding error.
  std::vector<double> limits(n);
  for (std::size_t i = 0; i < n; ++i) {
    limits[i] = static_cast<double>(n) * std::numeric_limits<double>::epsilon() * matrix.at(i, i);
  }
  std::vector<std::pair<std::size_t, std::size_t>> all_tiles;
  for (std::size_t i = 0; i < tiles; ++i) {
    for (std::size_t j = 0; j <= i; ++j) all_tiles.emplace_back(i, j);
  }
  AlignedArray<double> root(kTileSize);           // L⁻¹
  AlignedArray<double> negative_root(kTileSize);  // -L⁻¹
  AlignedArray<double> column(kTileSize * threads.threads());
  // By tile row: Yᵀ and -Y.
  AlignedArray<double> right(tiles * kTileSize);
  AlignedArray<double> left(tiles * kTileSize);
  for (std::size_t k = 0; k < tiles; ++k) {
    const std::size_t size = matrix.extent(k);
    if (!invert_factor(matrix.tile(k, k), std::span(limits).subspan(k * kTile, size), root.data())) return false;
    std::ranges::copy(root.span(), negative_root.data());
    negate(size, size, negative_root.data());
    threads.run(tiles, [&](std::size_t i, std::size_t thread) {
      if (i == k) return;
      const std::size_t extent = matrix.extent(i);
      const double* c = matrix.tile(std::max(i, k), std::min(i, k));  // Cᵀ if i < k
      if (i > k) {
        double* transposed_c = column.data() + thread * kTileSize;
        transpose(extent, size, c, kTile, transposed_c, kTile);
        c = transposed_c;
      }
      double* y = right.data() + i * kTileSize;
      double* minus_y = left.data() + i * kTileSize;
      matmul({size, extent, size}, by_rows(root.data(), kTile), c, kTile, y, kTile);
      transpose(size, extent, y, kTile, minus_y, kTile);
      negate(extent, size, minus_y);
    });
    threads.run(all_tiles.size(), [&](std::size_t task, std::size_t) {
      const auto [i, j] = all_tiles[task];
      double* tile = matrix.tile(i, j);
      if (i != k && j != k) {
        matmul({matrix.extent(i), matrix.extent(j), size}, by_rows(left.data() + i * kTileSize, kTile),
               right.data() + j * kTileSize, kTile, tile, kTile, {.accumulate = true});
      } else if (i != k) {  // Y·L⁻¹
        matmul({matrix.extent(i), size, size}, by_rows(left.data() + i * kTileSize, kTile), negative_root.data(), kTile,
               tile, kTile);
      } else {  // L⁻ᵀYᵀ, or -L⁻ᵀL⁻¹ on the diagonal
        matmul({size, matrix.extent(j), size}, transposed(root.data(), kTile),
               j == k ? negative_root.data() : right.data() + j * kTileSize, kTile, tile, kTile);
      }
    });
    if (progress) progress(k + 1, tiles);
  }
  threads.run(all_tiles.size(), [&](std::size_t task, std::size_t) {
    const auto [i, j] = all_tiles[task];
    negate(matrix.extent(i), matrix.extent(j), matrix.tile(i, j));
  });
  return true;
}

}  // namespace linn
