#include "linn/embed/neighbors.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {
namespace {

constexpr std::size_t kRows = 64;       // rows per block
constexpr std::size_t kColumns = 1024;  // columns per block, so that the products stay in the cache

// |a|² + |b|² - 2ab in float32 is inexact in its last digits. So it selects a few more candidates than requested, which
// are then compared by their exact distances.
constexpr std::size_t kExtraCandidates = 16;

struct Candidate {
  float distance;
  std::uint32_t index;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.distance != b.distance ? a.distance < b.distance : a.index < b.index;
  }
};

// Keeps the smallest candidates in a heap with the largest on top.
class Least {
 public:
  void start(std::size_t count) {
    count_ = count;
    heap_.clear();
  }
  void offer(const Candidate& candidate) {
    if (heap_.size() == count_) {
      if (!(candidate < heap_.front())) return;
      std::pop_heap(heap_.begin(), heap_.end());
      heap_.back() = candidate;
    } else {
      heap_.push_back(candidate);
    }
    std::push_heap(heap_.begin(), heap_.end());
  }
  const std::vector<Candidate>& all() const { return heap_; }

 private:
  std::size_t count_ = 0;
  std::vector<Candidate> heap_;
};

double squared_distance(std::size_t width, const float* a, const float* b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < width; ++j) {
    const double difference = static_cast<double>(a[j]) - static_cast<double>(b[j]);
    sum += difference * difference;
  }
  return sum;
}

// Centres the points, so that the products are small.
Matrix centred(const ConstMatrixView& points) {
  std::vector<double> mean(points.cols, 0.0);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t j = 0; j < points.cols; ++j) mean[j] += static_cast<double>(points.row(i)[j]);
  }
  Matrix result(points.rows, points.cols);
  for (std::size_t i = 0; i < points.rows; ++i) {
    for (std::size_t j = 0; j < points.cols; ++j) {
      result.row(i)[j] =
          static_cast<float>(static_cast<double>(points.row(i)[j]) - mean[j] / static_cast<double>(points.rows));
    }
  }
  return result;
}

}  // namespace

Neighbors nearest_neighbors(const ConstMatrixView& points, std::size_t count, ThreadPool& pool) {
  const std::size_t n = points.rows;
  const std::size_t d = points.cols;
  assert(count < n || count == 0);
  Neighbors result;
  result.count = count;
  result.index.resize(n * count);
  result.squared_distance.resize(n * count);
  if (count == 0) return result;

  const Matrix x = centred(points);
  Matrix columns(d, n);
  transpose(n, d, x.data(), d, columns.data(), n);
  std::vector<float> squares(n);
  for (std::size_t i = 0; i < n; ++i) squares[i] = squared_norm(d, x.row(i));

  const std::size_t chosen = std::min(count + kExtraCandidates, n - 1);
  pool.run((n + kRows - 1) / kRows, [&](std::size_t block, std::size_t) {
    const std::size_t begin = block * kRows;
    const std::size_t rows = std::min(kRows, n - begin);
    std::vector<float> products(rows * kColumns);
    std::vector<Least> least(rows);
    for (Least& row : least) row.start(chosen);
    for (std::size_t first = 0; first < n; first += kColumns) {
      const std::size_t width = std::min(kColumns, n - first);
      matmul({rows, width, d}, by_rows(x.row(begin), d), columns.data() + first, n, products.data(), kColumns);
      for (std::size_t i = 0; i < rows; ++i) {
        for (std::size_t j = 0; j < width; ++j) {
          if (first + j == begin + i) continue;
          const float distance = squares[begin + i] + squares[first + j] - 2.0F * products[i * kColumns + j];
          least[i].offer({distance, static_cast<std::uint32_t>(first + j)});
        }
      }
    }
    std::vector<std::pair<double, std::uint32_t>> exact;
    for (std::size_t i = 0; i < rows; ++i) {
      exact.clear();
      for (const Candidate& candidate : least[i].all()) {
        exact.emplace_back(squared_distance(d, points.row(begin + i), points.row(candidate.index)), candidate.index);
      }
      std::ranges::sort(exact);
      for (std::size_t k = 0; k < count; ++k) {
        result.squared_distance[(begin + i) * count + k] = exact[k].first;
        result.index[(begin + i) * count + k] = exact[k].second;
      }
    }
  });
  return result;
}

}  // namespace linn
