#include "linn/embed/quad_tree.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "linn/base/random.h"

namespace linn {
namespace {

QuadTree::Force naive_repulsion(const std::vector<double>& xy, std::size_t point) {
  QuadTree::Force force;
  for (std::size_t j = 0; j < xy.size() / 2; ++j) {
    if (j == point) continue;
    const double dx = xy[2 * point] - xy[2 * j];
    const double dy = xy[2 * point + 1] - xy[2 * j + 1];
    const double q = 1.0 / (1.0 + dx * dx + dy * dy);
    force.sum += q;
    force.x += q * q * dx;
    force.y += q * q * dy;
  }
  return force;
}

std::vector<double> random_points(std::size_t count, double scale, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> xy(2 * count);
  for (double& value : xy) value = scale * random.normal();
  return xy;
}

void expect_exact(const std::vector<double>& xy, const std::string& what) {
  QuadTree tree;
  tree.build(xy);
  for (std::size_t i = 0; i < xy.size() / 2; ++i) {
    const QuadTree::Force force = tree.repulsion(i, 0.0);
    const QuadTree::Force expected = naive_repulsion(xy, i);
    EXPECT_NEAR(force.sum, expected.sum, 1e-9 * (1 + expected.sum)) << what << " " << i;
    EXPECT_NEAR(force.x, expected.x, 1e-9 * (1 + expected.sum)) << what << " " << i;
    EXPECT_NEAR(force.y, expected.y, 1e-9 * (1 + expected.sum)) << what << " " << i;
  }
}

TEST(QuadTree, IsExactForThetaZero) {
  for (const std::size_t count : {1, 2, 3, 50, 300}) {
    expect_exact(random_points(count, 3.0, count), "random");
    expect_exact(random_points(count, 1e-4, count), "as at the start");
  }
  // Coinciding points, some next to another one; a line; points too close to be separated.
  std::vector<double> same(20, 1.5);
  expect_exact(same, "same");
  same.insert(same.end(), {1.5, 2.5, 1.5, 2.5, -4.0, 0.0});
  expect_exact(same, "nearly same");
  std::vector<double> line;
  for (int i = 0; i < 20; ++i) line.insert(line.end(), {0.0, i * 0.5});
  expect_exact(line, "line");
  expect_exact({0.0, 0.0, 1e-30, 0.0, 5.0, 5.0, 2e-30, 1e-30}, "too near");
}

TEST(QuadTree, ApproximatesForPositiveTheta) {
  const std::vector<double> xy = random_points(2000, 10.0, 1);
  QuadTree tree;
  tree.build(xy);
  double error = 0.0;
  double size = 0.0;
  double sum = 0.0;
  double exact_sum = 0.0;
  for (std::size_t i = 0; i < 2000; ++i) {
    const QuadTree::Force force = tree.repulsion(i, 0.5);
    const QuadTree::Force expected = naive_repulsion(xy, i);
    error += std::pow(force.x - expected.x, 2) + std::pow(force.y - expected.y, 2);
    size += std::pow(expected.x, 2) + std::pow(expected.y, 2);
    sum += force.sum;
    exact_sum += expected.sum;
  }
  EXPECT_LT(std::sqrt(error / size), 0.03);
  EXPECT_NEAR(sum, exact_sum, 0.02 * exact_sum);
  EXPECT_GT(error, 0.0);  // some cells were approximated
}

// A tree that was built for many points is rebuilt for few.
TEST(QuadTree, CanBeRebuilt) {
  QuadTree tree;
  const std::vector<double> many = random_points(500, 1.0, 2);
  tree.build(many);
  const std::size_t cells = tree.cells();
  const std::vector<double> few = random_points(5, 1.0, 3);
  tree.build(few);
  EXPECT_LT(tree.cells(), cells);
  EXPECT_NEAR(tree.repulsion(2, 0.0).sum, naive_repulsion(few, 2).sum, 1e-12);
}

}  // namespace
}  // namespace linn
