#include "linn/embed/quad_tree.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace linn {

void QuadTree::build(std::span<const double> xy) {
  xy_ = xy;
  const std::size_t n = xy.size() / 2;
  cells_.clear();
  next_.assign(n, kNone);
  leaf_.assign(n, 0);
  if (n == 0) return;

  double low[2] = {xy[0], xy[1]};
  double high[2] = {xy[0], xy[1]};
  for (std::size_t i = 0; i < xy.size(); ++i) {
    low[i % 2] = std::min(low[i % 2], xy[i]);
    high[i % 2] = std::max(high[i % 2], xy[i]);
  }
  const double half = 0.5 * std::max(high[0] - low[0], high[1] - low[1]);
  root_ = {0.5 * (low[0] + high[0]), 0.5 * (low[1] + high[1]), half, 0};
  cells_.emplace_back();
  cells_[0].width = 2.0 * half;
  for (std::uint32_t i = 0; i < n; ++i) insert(i);

  for (std::uint32_t c = 0; c < cells_.size(); ++c) {
    Cell& cell = cells_[c];
    if (cell.count == 0) continue;
    cell.x /= cell.count;
    cell.y /= cell.count;
    if (cell.children != kNone) continue;
    for (std::uint32_t point = cell.points; point != kNone; point = next_[point]) leaf_[point] = c;
  }
}

void QuadTree::insert(std::uint32_t point) {
  const double x = xy_[2 * point];
  const double y = xy_[2 * point + 1];
  Square square = root_;
  std::uint32_t at = 0;
  while (true) {
    // An occupied leaf is split in four, unless its points cannot be separated.
    if (cells_[at].children == kNone && cells_[at].count > 0 && square.depth < kDepth) {
      const std::uint32_t first = cells_[at].points;
      if (xy_[2 * first] != x || xy_[2 * first + 1] != y) split(at, square);
    }
    Cell& cell = cells_[at];
    cell.x += x;
    cell.y += y;
    ++cell.count;
    if (cell.children == kNone) {
      next_[point] = cell.points;
      cell.points = point;
      return;
    }
    const std::uint32_t q = quarter(square, x, y);
    at = cell.children + q;
    square = child(square, q);
  }
}

// All points of the leaf coincide and go to the same quarter.
void QuadTree::split(std::uint32_t cell, const Square& square) {
  const auto first = static_cast<std::uint32_t>(cells_.size());
  cells_.resize(cells_.size() + 4);
  for (std::uint32_t i = 0; i < 4; ++i) cells_[first + i].width = square.half;
  Cell& leaf = cells_[cell];
  Cell& heir = cells_[first + quarter(square, xy_[2 * leaf.points], xy_[2 * leaf.points + 1])];
  heir.x = leaf.x;
  heir.y = leaf.y;
  heir.count = leaf.count;
  heir.points = leaf.points;
  leaf.points = kNone;
  leaf.children = first;
}

QuadTree::Square QuadTree::child(const Square& square, std::uint32_t quarter) {
  const double half = 0.5 * square.half;
  return {square.x + ((quarter & 1U) != 0 ? half : -half), square.y + ((quarter & 2U) != 0 ? half : -half), half,
          square.depth + 1};
}

QuadTree::Force QuadTree::repulsion(std::size_t point, double theta) const {
  assert(theta >= 0.0 && theta <= 0.7);
  const double x = xy_[2 * point];
  const double y = xy_[2 * point + 1];
  const double theta_square = theta * theta;
  Force force;
  const auto add = [&](double count, double dx, double dy) {
    const double q = 1.0 / (1.0 + dx * dx + dy * dy);
    force.sum += count * q;
    force.x += count * q * q * dx;
    force.y += count * q * q * dy;
  };
  // Every level leaves three cells on the stack.
  std::array<std::uint32_t, 4 * (kDepth + 1)> stack;
  std::size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Cell& cell = cells_[stack[--size]];
    if (cell.count == 0) continue;
    const double dx = x - cell.x;
    const double dy = y - cell.y;
    if (cell.children == kNone) {
      if (&cell != &cells_[leaf_[point]]) {
        add(cell.count, dx, dy);
      } else if (cell.count > 1) {
        // The point's own leaf: the mean of the other points.
        const double others = cell.count - 1.0;
        add(others, x - (cell.x * cell.count - x) / others, y - (cell.y * cell.count - y) / others);
      }
    } else if (cell.width * cell.width < theta_square * (dx * dx + dy * dy)) {
      add(cell.count, dx, dy);
    } else {
      for (std::uint32_t i = 0; i < 4; ++i) stack[size++] = cell.children + i;
    }
  }
  return force;
}

}  // namespace linn
