#include "linn/embed/k_means.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace linn {
namespace {

class KMeans {
 public:
  KMeans(const ConstMatrixView& vectors, const KMeansOptions& options)
      : options_(options), rows_(vectors.rows), width_(vectors.cols), points_(rows_ * width_) {
    for (std::size_t i = 0; i < rows_; ++i) {
      std::copy_n(vectors.row(i), width_, points_.begin() + static_cast<std::ptrdiff_t>(i * width_));
      if (options.distance == ClusterDistance::kCosine) normalize(point(i));
    }
  }

  Clusters run(Random& random) {
    Clusters best;
    for (std::size_t start = 0; start < options_.starts; ++start) {
      choose_centres(random);
      assign();
      for (std::size_t i = 0; i < options_.iterations; ++i) {
        const std::vector<std::uint32_t> before = now_.cluster;
        move_centres();
        assign();
        if (now_.cluster == before) break;
      }
      if (start == 0 || now_.spread < best.spread) best = now_;
    }
    return best;
  }

 private:
  double* point(std::size_t i) { return points_.data() + i * width_; }
  double* centre(std::size_t c) { return centres_.data() + c * width_; }

  // A zero vector has no direction and stays zero.
  void normalize(double* x) const {
    double square = 0.0;
    for (std::size_t j = 0; j < width_; ++j) square += x[j] * x[j];
    if (square == 0.0) return;
    for (std::size_t j = 0; j < width_; ++j) x[j] /= std::sqrt(square);
  }

  double squared_distance(const double* a, const double* b) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < width_; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
  }

  // k-means++: draws each centre with probability proportional to the squared distance to the nearest earlier centre.
  void choose_centres(Random& random) {
    centres_.assign(options_.centres * width_, 0.0);
    std::vector<double> nearest(rows_, std::numeric_limits<double>::infinity());
    for (std::size_t c = 0; c < options_.centres; ++c) {
      double sum = 0.0;
      for (const double square : nearest) sum += square;
      std::size_t chosen = random.below(rows_);
      if (c > 0 && sum > 0.0) {
        double left = random.uniform() * sum;
        chosen = 0;
        while (chosen + 1 < rows_ && (left -= nearest[chosen]) >= 0.0) ++chosen;
      }
      std::copy_n(point(chosen), width_, centre(c));
      for (std::size_t i = 0; i < rows_; ++i) nearest[i] = std::min(nearest[i], squared_distance(point(i), centre(c)));
    }
  }

  void assign() {
    now_.cluster.assign(rows_, 0);
    now_.size.assign(options_.centres, 0);
    now_.distance.assign(rows_, std::vector<double>(options_.centres));
    now_.spread = 0.0;
    for (std::size_t i = 0; i < rows_; ++i) {
      std::vector<double>& distance = now_.distance[i];
      for (std::size_t c = 0; c < options_.centres; ++c) distance[c] = std::sqrt(squared_distance(point(i), centre(c)));
      const auto nearest = std::ranges::min_element(distance);
      now_.cluster[i] = static_cast<std::uint32_t>(nearest - distance.begin());
      ++now_.size[now_.cluster[i]];
      now_.spread += *nearest * *nearest;
    }
  }

  // Moves each centre to the mean of its vectors, normalised if they are. The centre of an empty cluster stays.
  void move_centres() {
    std::vector<double> sums(centres_.size(), 0.0);
    for (std::size_t i = 0; i < rows_; ++i) {
      double* sum = sums.data() + now_.cluster[i] * width_;
      for (std::size_t j = 0; j < width_; ++j) sum[j] += point(i)[j];
    }
    for (std::size_t c = 0; c < options_.centres; ++c) {
      if (now_.size[c] == 0) continue;
      for (std::size_t j = 0; j < width_; ++j) centre(c)[j] = sums[c * width_ + j] / static_cast<double>(now_.size[c]);
      if (options_.distance == ClusterDistance::kCosine) normalize(centre(c));
    }
  }

  const KMeansOptions& options_;
  std::size_t rows_;
  std::size_t width_;
  std::vector<double> points_;
  std::vector<double> centres_;
  Clusters now_;
};

}  // namespace

Clusters k_means(const ConstMatrixView& vectors, const KMeansOptions& options, Random& random) {
  assert(options.centres > 0 && options.starts > 0);
  if (vectors.rows == 0) return {{}, {}, std::vector<std::size_t>(options.centres, 0), 0.0};
  return KMeans(vectors, options).run(random);
}

}  // namespace linn
