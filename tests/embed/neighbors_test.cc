#include "linn/embed/neighbors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "layers/layer_test.h"

namespace linn {
namespace {

TEST(Neighbors, EqualThoseFromSortingAllDistances) {
  for (const auto& [n, d] : {std::pair<std::size_t, std::size_t>{1200, 5}, {70, 64}, {3, 2}}) {
    Matrix points = random_matrix(n, d, n);
    // Far from the origin, where products lose digits, and with duplicate points.
    for (float& value : points.span()) value += 10.0F;
    std::copy_n(points.row(0), d, points.row(n - 1));
    const std::size_t count = std::min<std::size_t>(n - 1, 20);
    ThreadPool one(1);
    ThreadPool three(3);
    const Neighbors neighbors = nearest_neighbors(points.view(), count, three);
    EXPECT_EQ(neighbors.index, nearest_neighbors(points.view(), count, one).index);
    for (std::size_t i = 0; i < n; i += std::max<std::size_t>(n / 50, 1)) {
      std::vector<std::pair<double, std::uint32_t>> all;
      for (std::uint32_t j = 0; j < n; ++j) {
        double square = 0.0;
        for (std::size_t k = 0; k < d; ++k) {
          const double difference = double{points.row(i)[k]} - double{points.row(j)[k]};
          square += difference * difference;
        }
        if (j != i) all.emplace_back(square, j);
      }
      std::ranges::sort(all);
      for (std::size_t k = 0; k < count; ++k) {
        EXPECT_EQ(neighbors.index[i * count + k], all[k].second) << i << " " << k;
        EXPECT_EQ(neighbors.squared_distance[i * count + k], all[k].first);
      }
    }
  }
}

}  // namespace
}  // namespace linn
