// A quadtree for computing the forces between all points of the plane in O(n log n) (Barnes & Hut, 1986).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linn {

class QuadTree {
 public:
  // x and y of every point, interleaved. Keeps its memory between calls.
  void build(std::span<const double> xy);

  // With q = 1 / (1 + |p - p_j|²) over all other points j:
  struct Force {
    double x = 0.0, y = 0.0;  // Σ q² (p - p_j)
    double sum = 0.0;         // Σ q
  };
  // A cell at a distance of at least width / theta is treated as one point at its centre of mass; theta = 0 visits
  // every point. theta is at most 0.7, so that no cell containing the point is approximated.
  Force repulsion(std::size_t point, double theta) const;

  std::size_t cells() const { return cells_.size(); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  // Points that cannot be separated by this many subdivisions share a leaf.
  static constexpr std::uint32_t kDepth = 40;

  struct Cell {
    double x = 0.0, y = 0.0;  // sum of its points, then their mean
    double width = 0.0;
    std::uint32_t count = 0;
    std::uint32_t children = kNone;  // the first of four consecutive cells
    std::uint32_t points = kNone;    // of a leaf: its first point, head of a linked list
  };
  struct Square {
    double x, y, half;  // centre and half width
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
  std::vector<std::uint32_t> next_;  // the next point in the same leaf
  std::vector<std::uint32_t> leaf_;  // of each point
};

}  // namespace linn
