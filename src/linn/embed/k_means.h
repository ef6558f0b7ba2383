// Lloyd's k-means algorithm with k-means++ initialisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "linn/base/random.h"
#include "linn/layers/layer.h"

namespace linn {

enum class ClusterDistance : std::uint8_t {
  kEuclidean,
  kCosine,  // between the normalised vectors
};

struct KMeansOptions {
  std::size_t centres = 2;
  ClusterDistance distance = ClusterDistance::kCosine;
  std::size_t starts = 10;       // restarts, of which the best is kept
  std::size_t iterations = 100;  // maximum per restart
};

struct Clusters {
  std::vector<std::uint32_t> cluster;         // of each vector
  std::vector<std::vector<double>> distance;  // of each vector to each centre
  std::vector<std::size_t> size;  // of each cluster; 0 only if there are fewer distinct vectors than centres
  double spread = 0.0;            // sum of squared distances to the nearest centre
};

Clusters k_means(const ConstMatrixView& vectors, const KMeansOptions& options, Random& random);

}  // namespace linn
