// Points of the plane in a tree of squares, for forces between all of them in n log n steps (Barnes & Hut, 1986).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linn {

class QuadTree {
 public:
  // x and y of every point, one behind the other. Keeps its memory between calls.
  void build(std::span<const double> xy);

  // With q = 1 / (1 + |p - p_j|²) over all other points j:
  struct Force {
    double x = 0.0, y = 0.0;  // Σ q² (p - p_j)
    double sum = 0.0;         // Σ q
  };
  // A square that is at least width / theta away counts as one point in its centre of mass; with theta = 0 every point
  // is looked at. theta is at most 0.7, so that no square with the point in it is taken as a whole.
  Force repulsion(std::size_t point, double theta) const;

  std::size_t cells() const { return cells_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Points that cannot be told apart after so many halvings share a leaf.
  static constexpr std::uint32_t kDepth = 40;

  struct Cell {
    double x = 0.0, y = 0.0;  // the sum of its points, then their mean
    double width = 0.0;
    std::uint32_t count = 0;
    std::uint32_t children = kNone;  // the first of four in a row
    std::uint32_t points = kNone;    // of a leaf: the first, which leads to the others
  };
  struct Square {
    double x, y, half;  // its middle
    std::uint32_t depth;
  };

  void insert(std::uint32_t point);
  void split(std::uint32_t cell, const Square& square);
  static std::uint32_t quarter(const Square& square, double x, double y) {
    return (x >= square.x ? 1U : 0U) + (y >= square.y ? 2U : 0U);
  }
  static Square child(const Square& square, std::uint32_t quarter);

  std::span<const double> xy_;
  Square root_{};
  std::vector<Cell> cells_;
  std::vector<std::uint32_t> next_;  // the next point of the same leaf
  std::vector<std::uint32_t> leaf_;  // of every point
};

}  // namespace linn
