#include "linn/embed/tsne.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "linn/base/error.h"
#include "linn/embed/neighbors.h"

namespace linn {
namespace {

constexpr std::size_t kChunk = 128;  // points per task

template <class Work>
void for_each_chunk(ThreadPool& pool, std::size_t points, Work&& work) {
  pool.run((points + kChunk - 1) / kChunk, [&](std::size_t chunk, std::size_t) {
    work(chunk, chunk * kChunk, std::min((chunk + 1) * kChunk, points));
  });
}

// p_j|i = exp(-beta d_j²) / Σ, with beta such that the entropy of p is log(perplexity).
void conditional(std::span<const double> squares, double perplexity, std::span<double> p) {
  const double target = std::log(perplexity);
  const double nearest = squares[0];  // subtracted, so that not all terms underflow
  double beta = 1.0;
  double low = 0.0;
  double high = 0.0;  // unknown so far
  for (int i = 0; i < 200; ++i) {
    double sum = 0.0;
    double weighted = 0.0;
    for (std::size_t k = 0; k < squares.size(); ++k) {
      p[k] = std::exp(-beta * (squares[k] - nearest));
      sum += p[k];
      weighted += p[k] * (squares[k] - nearest);
    }
    for (double& value : p) value /= sum;
    const double entropy = std::log(sum) + beta * weighted / sum;
    if (std::abs(entropy - target) < 1e-7) return;
    if (entropy > target) {
      low = beta;
      beta = high > 0.0 ? 0.5 * (low + high) : 2.0 * beta;
    } else {
      high = beta;
      beta = 0.5 * (low + high);
    }
  }
}

// (p_j|i + p_i|j) / 2n
Affinities symmetrized(const Neighbors& neighbors, std::span<const double> p, std::size_t n) {
  const std::size_t k = neighbors.count;
  std::vector<std::size_t> starts(n + 1, 0);
  for (std::size_t i = 0; i < n * k; ++i) {
    ++starts[i / k + 1];
    ++starts[neighbors.index[i] + 1];
  }
  for (std::size_t i = 0; i < n; ++i) starts[i + 1] += starts[i];
  std::vector<std::pair<std::uint32_t, double>> entries(starts[n]);
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t i = 0; i < n * k; ++i) {
    const auto row = static_cast<std::uint32_t>(i / k);
    const double half = p[i] / (2.0 * static_cast<double>(n));
    entries[next[row]++] = {neighbors.index[i], half};
    entries[next[neighbors.index[i]]++] = {row, half};
  }
  Affinities result;
  result.starts.push_back(0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = std::span(entries).subspan(starts[i], starts[i + 1] - starts[i]);
    std::ranges::sort(row);
    for (std::size_t j = 0; j < row.size(); ++j) {
      if (j > 0 && row[j].first == row[j - 1].first) {
        result.values.back() += row[j].second;
      } else {
        result.columns.push_back(row[j].first);
        result.values.push_back(row[j].second);
      }
    }
    result.starts.push_back(result.columns.size());
  }
  return result;
}

void check(const ConstMatrixView& vectors, const TsneOptions& options) {
  const double most = std::max(0.0, (static_cast<double>(vectors.rows) - 1.0) / 3.0);
  if (options.perplexity > most) {
    throw InputError(fmt::format("a perplexity of {} requires at least {} vectors, found {}", options.perplexity,
                                 static_cast<std::size_t>(std::ceil(3.0 * options.perplexity)) + 1, vectors.rows));
  }
  if (!(options.perplexity >= 1.0)) throw InputError("the perplexity must be at least 1");
  for (std::size_t i = 0; i < vectors.rows; ++i) {
    for (std::size_t j = 0; j < vectors.cols; ++j) {
      if (!std::isfinite(vectors.row(i)[j])) throw InputError(fmt::format("vector {} is not finite", i + 1));
    }
  }
}

}  // namespace

Affinities tsne_affinities(const ConstMatrixView& vectors, double perplexity, ThreadPool& pool) {
  const auto k = std::min(vectors.rows - 1, static_cast<std::size_t>(3.0 * perplexity));
  const Neighbors neighbors = nearest_neighbors(vectors, k, pool);
  std::vector<double> p(neighbors.index.size());
  for_each_chunk(pool, vectors.rows, [&](std::size_t, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      conditional(std::span(neighbors.squared_distance).subspan(i * k, k), perplexity, std::span(p).subspan(i * k, k));
    }
  });
  return symmetrized(neighbors, p, vectors.rows);
}

void TsneGradient::compute(std::span<const double> xy, double exaggeration, double theta, std::span<double> gradient) {
  const std::size_t n = xy.size() / 2;
  tree_.build(xy);
  repulsion_.resize(2 * n);
  sums_.assign((n + kChunk - 1) / kChunk, 0.0);
  for_each_chunk(pool_, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const QuadTree::Force force = tree_.repulsion(i, theta);
      repulsion_[2 * i] = force.x;
      repulsion_[2 * i + 1] = force.y;
      sums_[chunk] += force.sum;

      double x = 0.0;
      double y = 0.0;
      for (std::size_t e = affinities_.starts[i]; e < affinities_.starts[i + 1]; ++e) {
        const std::size_t j = affinities_.columns[e];
        const double dx = xy[2 * i] - xy[2 * j];
        const double dy = xy[2 * i + 1] - xy[2 * j + 1];
        const double weight = affinities_.values[e] / (1.0 + dx * dx + dy * dy);
        x += weight * dx;
        y += weight * dy;
      }
      gradient[2 * i] = 4.0 * exaggeration * x;
      gradient[2 * i + 1] = 4.0 * exaggeration * y;
    }
  });
  sum_ = 0.0;
  for (const double sum : sums_) sum_ += sum;
  for (std::size_t i = 0; i < 2 * n; ++i) gradient[i] -= 4.0 * repulsion_[i] / sum_;
}

double TsneGradient::divergence(std::span<const double> xy) const {
  const std::size_t n = xy.size() / 2;
  std::vector<double> parts((n + kChunk - 1) / kChunk, 0.0);
  for_each_chunk(pool_, n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t e = affinities_.starts[i]; e < affinities_.starts[i + 1]; ++e) {
        const double p = affinities_.values[e];
        if (p <= 0.0) continue;  // a neighbour so distant that p underflowed
        const std::size_t j = affinities_.columns[e];
        const double dx = xy[2 * i] - xy[2 * j];
        const double dy = xy[2 * i + 1] - xy[2 * j + 1];
        parts[chunk] += p * std::log(p * sum_ * (1.0 + dx * dx + dy * dy));
      }
    }
  });
  double sum = 0.0;
  for (const double part : parts) sum += part;
  return sum;
}

// Gradient descent with momentum and per-coordinate adaptive gains (Jacobs, 1988), as in the reference implementations;
// the learning rate grows with the number of points (Belkina et al., 2019).
TsneResult tsne(const ConstMatrixView& vectors, const TsneOptions& options, Context& context) {
  check(vectors, options);
  const std::size_t n = vectors.rows;
  const Affinities affinities = tsne_affinities(vectors, options.perplexity, context.pool());
  TsneGradient gradient_of(affinities, context.pool());

  TsneResult result;
  result.xy.resize(2 * n);
  Random random = context.random(0);
  for (double& value : result.xy) value = 1e-4 * random.normal();
  const double rate = std::max(50.0, static_cast<double>(n) / (4.0 * options.exaggeration));
  std::vector<double> gradient(2 * n);
  std::vector<double> step(2 * n, 0.0);
  std::vector<double> gain(2 * n, 1.0);
  constexpr std::size_t kReportInterval = 50;  // iterations between evaluations of the divergence
  for (std::size_t iteration = 0; iteration < options.iterations; ++iteration) {
    const bool early = iteration < options.exaggeration_iterations;
    gradient_of.compute(result.xy, early ? options.exaggeration : 1.0, options.theta, gradient);
    if (iteration % kReportInterval == 0) result.divergence = gradient_of.divergence(result.xy);
    const double momentum = early ? 0.5 : 0.8;
    double mean[2] = {0.0, 0.0};
    for (std::size_t i = 0; i < 2 * n; ++i) {
      gain[i] = (gradient[i] > 0.0) != (step[i] > 0.0) ? gain[i] + 0.2 : std::max(0.8 * gain[i], 0.01);
      step[i] = momentum * step[i] - rate * gain[i] * gradient[i];
      result.xy[i] += step[i];
      mean[i % 2] += result.xy[i] / static_cast<double>(n);
    }
    for (std::size_t i = 0; i < 2 * n; ++i) result.xy[i] -= mean[i % 2];
    result.iterations = iteration + 1;
    if (!context.report({"t-SNE", iteration + 1, options.iterations, result.divergence})) {
      result.interrupted = true;
      break;
    }
  }
  gradient_of.compute(result.xy, 1.0, options.theta, gradient);
  result.divergence = gradient_of.divergence(result.xy);
  return result;
}

}  // namespace linn
