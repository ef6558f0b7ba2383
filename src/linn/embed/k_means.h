// Clusters of vectors (Lloyd's algorithm, started as in k-means++).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"
#include "linn/layers/layer.h"

namespace linn {

enum class ClusterDistance : std::uint8_t {
  kEuclidean,
  kCosine,  // between the vectors brought to length 1
};

struct KMeansOptions {
  std::size_t centres = 2;
  ClusterDistance distance = ClusterDistance::kCosine;
  std::size_t starts = 10;       // the best of so many is taken
  std::size_t iterations = 100;  // at most, of each start
};

struct Clusters {
  std::vector<std::uint32_t> cluster;         // of every vector
  std::vector<std::vector<double>> distance;  // of every vector to every centre
  std::vector<std::size_t> size;  // of every cluster; 0 only if there are fewer distinct vectors than centres
  double spread = 0.0;            // the sum of the squared distances to the nearest centre
};

Clusters k_means(const ConstMatrixView& vectors, const KMeansOptions& options, Random& random);

}  // namespace linn
