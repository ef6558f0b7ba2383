#include "linn/nn/lanes.h"

namespace linn {
namespace {

// The matrix product takes six rows at a time; the bounds of lanes are multiples of that.
constexpr std::size_t kTileRows = 6;

}  // namespace

std::size_t lanes_for(std::size_t rows) {
  constexpr std::size_t kLeastRows = 2 * kTileRows;  // fewer rows are not worth waking a thread
  return std::clamp<std::size_t>(rows / kLeastRows, 1, kLaneCount);
}

RowRange lane_rows(std::size_t rows, std::size_t lane, std::size_t lanes) {
  const std::size_t tiles = (rows + kTileRows - 1) / kTileRows;
  const auto bound = [&](std::size_t i) { return std::min(rows, tiles * i / lanes * kTileRows); };
  return lane < lanes ? RowRange{bound(lane), bound(lane + 1)} : RowRange{rows, rows};
}

}  // namespace linn
