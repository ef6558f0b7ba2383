// Inverts by sweeping (Gauss–Jordan elimination in place). With the matrix cut into pivot and rest, a sweep turns
//
//   | D  Cᵀ |        | -D⁻¹    D⁻¹Cᵀ     |
//   | C  B  |  into  | C·D⁻¹   B - C·D⁻¹Cᵀ |
//
// and once every pivot has been swept, the matrix is -A⁻¹. The pivots are diagonal tiles: all but 1/tiles of the n³
// operations are products of tiles, independent of each other. Factorising first (Cholesky) takes as many operations in
// three passes that leave threads idle. Each pivot is what elimination has left of the diagonal, as in a Cholesky
// factorisation, so the matrix is positive definite if and only if all are.

#include "linn/kernels/symmetric_matrix.h"

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "linn/kernels/matmul.h"

namespace linn {
namespace {

constexpr std::size_t kTile = SymmetricMatrix::kTile;
constexpr std::size_t kTileSize = kTile * kTile;

// Sweeps all pivots of a tile, one by one, reading its lower triangle and writing all of it. A pivot that is not above
// its limit is an error.
bool sweep_tile(double* tile, std::span<const double> limits) {
  const std::size_t n = limits.size();
  std::array<double, kTile> column{};
  for (std::size_t p = 0; p < n; ++p) {
    const double pivot = tile[p * kTile + p];
    if (!(pivot > limits[p])) return false;
    for (std::size_t i = 0; i < n; ++i) column[i] = i < p ? tile[p * kTile + i] : tile[i * kTile + p];
    for (std::size_t i = 0; i < n; ++i) {
      double* row = tile + i * kTile;
      const double factor = column[i] / pivot;
      if (i == p) {
        for (std::size_t j = 0; j < p; ++j) row[j] = column[j] / pivot;
        row[p] = -1.0 / pivot;
        continue;
      }
      for (std::size_t j = 0; j <= i; ++j) row[j] -= factor * column[j];
      if (i > p) row[p] = factor;
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) tile[j * kTile + i] = tile[i * kTile + j];
  }
  return true;
}

void negate(std::size_t rows, std::size_t columns, double* tile) {
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) tile[i * kTile + j] = -tile[i * kTile + j];
  }
}

}  // namespace

bool invert_positive_definite(SymmetricMatrix& matrix, ThreadPool& threads) {
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
  // By tile row: Cᵀ and -C·D⁻¹.
  AlignedArray<double> columns(tiles * kTileSize);
  AlignedArray<double> factors(tiles * kTileSize);
  for (std::size_t k = 0; k < tiles; ++k) {
    double* pivot = matrix.tile(k, k);
    const std::size_t size = matrix.extent(k);
    if (!sweep_tile(pivot, std::span(limits).subspan(k * kTile, size))) return false;
    threads.run(tiles, [&](std::size_t i, std::size_t) {
      if (i == k) return;
      double* column = columns.data() + i * kTileSize;
      if (i < k) {
        std::copy_n(matrix.tile(k, i), kTileSize, column);
      } else {
        transpose(matrix.extent(i), size, matrix.tile(i, k), kTile, column, kTile);
      }
      matmul({matrix.extent(i), size, size}, transposed(column, kTile), pivot, kTile, factors.data() + i * kTileSize,
             kTile);
    });
    threads.run(all_tiles.size(), [&](std::size_t task, std::size_t) {
      const auto [i, j] = all_tiles[task];
      double* tile = matrix.tile(i, j);
      if (i != k && j != k) {
        matmul({matrix.extent(i), matrix.extent(j), size}, by_rows(factors.data() + i * kTileSize, kTile),
               columns.data() + j * kTileSize, kTile, tile, kTile, {.accumulate = true});
      } else if (i != k) {
        std::copy_n(factors.data() + i * kTileSize, kTileSize, tile);
        negate(matrix.extent(i), size, tile);
      } else if (j != k) {
        transpose(matrix.extent(j), size, factors.data() + j * kTileSize, kTile, tile, kTile);
        negate(size, matrix.extent(j), tile);
      }
    });
  }
  threads.run(all_tiles.size(), [&](std::size_t task, std::size_t) {
    const auto [i, j] = all_tiles[task];
    negate(matrix.extent(i), matrix.extent(j), matrix.tile(i, j));
  });
  return true;
}

}  // namespace linn
