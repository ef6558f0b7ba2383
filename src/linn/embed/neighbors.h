// The nearest neighbours of every point, exactly.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/layers/layer.h"

namespace linn {

// Those of point i stand at [i * count, (i + 1) * count), the nearest first; equally near ones by their number.
struct Neighbors {
  std::size_t count = 0;
  std::vector<std::uint32_t> index;
  std::vector<double> squared_distance;
};

// `count` is below the number of points. All distances are compared, as products of blocks of rows: at ten thousand
// points that is faster than any tree. The result does not depend on the number of threads.
Neighbors nearest_neighbors(const ConstMatrixView& points, std::size_t count, ThreadPool& pool);

}  // namespace linn
