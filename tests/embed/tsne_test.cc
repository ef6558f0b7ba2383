#include "linn/embed/tsne.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "layers/layer_test.h"
#include "linn/base/error.h"

namespace linn {
namespace {

using Square = std::vector<Vector>;

double squared_distance(const float* a, const float* b, std::size_t d) {
  double sum = 0.0;
  for (std::size_t j = 0; j < d; ++j) sum += std::pow(double{a[j]} - double{b[j]}, 2);
  return sum;
}

// P as a dense matrix, directly from its definition; beta by bisection.
Square naive_affinities(const ConstMatrixView& x, double perplexity) {
  const std::size_t n = x.rows;
  const auto k = std::min(n - 1, std::size_t(3.0 * perplexity));
  Square conditional(n, Vector(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::pair<double, std::size_t>> near;
    for (std::size_t j = 0; j < n; ++j) {
      if (j != i) near.emplace_back(squared_distance(x.row(i), x.row(j), x.cols), j);
    }
    std::ranges::sort(near);
    near.resize(k);
    double low = 0.0;
    double high = 1e6;
    for (int step = 0; step < 300; ++step) {
      const double beta = 0.5 * (low + high);
      double sum = 0.0;
      for (const auto& [square, j] : near) sum += std::exp(-beta * (square - near[0].first));
      double entropy = 0.0;
      for (const auto& [square, j] : near) {
        const double p = std::exp(-beta * (square - near[0].first)) / sum;
        conditional[i][j] = p;
        if (p > 0.0) entropy -= p * std::log(p);
      }
      (entropy > std::log(perplexity) ? low : high) = beta;
    }
  }
  Square p(n, Vector(n, 0.0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) p[i][j] = (conditional[i][j] + conditional[j][i]) / (2.0 * double(n));
  }
  return p;
}

double naive_divergence(const Square& p, const Vector& y, double exaggeration = 1.0) {
  const std::size_t n = p.size();
  const auto q = [&](std::size_t i, std::size_t j) {
    return 1.0 / (1.0 + std::pow(y[2 * i] - y[2 * j], 2) + std::pow(y[2 * i + 1] - y[2 * j + 1], 2));
  };
  double z = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) z += i == j ? 0.0 : q(i, j);
  }
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      if (p[i][j] > 0.0) sum -= exaggeration * p[i][j] * std::log(q(i, j));
      if (p[i][j] > 0.0) sum += p[i][j] * std::log(p[i][j]);
    }
  }
  return sum + std::log(z);
}

Vector some_plane(std::size_t n, double scale) {
  Random random(9);
  Vector y(2 * n);
  for (double& value : y) value = scale * random.normal();
  return y;
}

TEST(Tsne, AffinitiesMatchTheDefinition) {
  const Matrix x = random_matrix(60, 7, 1);
  ThreadPool pool(2);
  for (const double perplexity : {2.0, 5.5, 19.0}) {
    const Affinities p = tsne_affinities(x.view(), perplexity, pool);
    const Square expected = naive_affinities(x.view(), perplexity);
    Square found(60, Vector(60, 0.0));
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t e = p.starts[i]; e < p.starts[i + 1]; ++e) {
        EXPECT_TRUE(e == p.starts[i] || p.columns[e] > p.columns[e - 1]);
        found[i][p.columns[e]] = p.values[e];
      }
    }
    for (std::size_t i = 0; i < 60; ++i) {
      for (std::size_t j = 0; j < 60; ++j) EXPECT_NEAR(found[i][j], expected[i][j], 1e-7) << i << " " << j;
    }
    EXPECT_NEAR(std::accumulate(p.values.begin(), p.values.end(), 0.0), 1.0, 1e-12);
  }
}

TEST(Tsne, GradientMatchesFiniteDifferences) {
  const Matrix x = random_matrix(40, 4, 2);
  ThreadPool pool(2);
  const Affinities p = tsne_affinities(x.view(), 6.0, pool);
  const Square dense = naive_affinities(x.view(), 6.0);
  for (const double scale : {0.01, 1.0, 5.0}) {
    Vector y = some_plane(40, scale);
    Vector gradient(80);
    TsneGradient gradient_of(p, pool);
    for (const double exaggeration : {1.0, 12.0}) {
      gradient_of.compute(y, exaggeration, 0.0, gradient);
      for (std::size_t i = 0; i < y.size(); ++i) {
        const double h = 1e-5 * scale;
        const double old = y[i];
        y[i] = old + h;
        const double above = naive_divergence(dense, y, exaggeration);
        y[i] = old - h;
        const double below = naive_divergence(dense, y, exaggeration);
        y[i] = old;
        EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-5) << i;
      }
      EXPECT_NEAR(gradient_of.divergence(y), naive_divergence(dense, y), 1e-6);
    }
    // The quadtree approximation is close.
    Vector near(80);
    gradient_of.compute(y, 1.0, 0.5, near);
    gradient_of.compute(y, 1.0, 0.0, gradient);
    double error = 0.0;
    double size = 1e-12;
    for (std::size_t i = 0; i < 80; ++i) {
      error += std::pow(near[i] - gradient[i], 2);
      size += std::pow(gradient[i], 2);
    }
    EXPECT_LT(std::sqrt(error / size), 0.1);
  }
}

Matrix two_clusters(std::size_t n) {
  Matrix x = random_matrix(n, 10, 5);
  for (std::size_t i = 0; i < n; i += 2) {
    for (std::size_t j = 0; j < 10; ++j) x.row(i)[j] += 6.0F;
  }
  return x;
}

TEST(Tsne, SeparatesTwoClustersForAnyNumberOfThreads) {
  const Matrix x = two_clusters(150);
  TsneOptions options;
  options.perplexity = 15;
  options.iterations = 300;
  options.exaggeration_iterations = 100;
  std::vector<double> first;
  for (const std::size_t threads : {1, 3}) {
    Context context(4, threads);
    const TsneResult result = tsne(x.view(), options, context);
    EXPECT_EQ(result.iterations, 300U);
    EXPECT_FALSE(result.interrupted);
    if (first.empty()) first = result.xy;
    EXPECT_EQ(result.xy, first);
    EXPECT_NEAR(result.divergence, naive_divergence(naive_affinities(x.view(), 15), result.xy), 0.02);
  }
  // The nearest point is always in the same cluster, and the clusters are separated.
  double means[2][2] = {};
  for (std::size_t i = 0; i < 150; ++i) {
    std::size_t nearest = i;
    double least = 1e300;
    for (std::size_t j = 0; j < 150; ++j) {
      const double square = std::pow(first[2 * i] - first[2 * j], 2) + std::pow(first[2 * i + 1] - first[2 * j + 1], 2);
      if (j != i && square < least) {
        least = square;
        nearest = j;
      }
    }
    EXPECT_EQ(nearest % 2, i % 2);
    for (std::size_t k = 0; k < 2; ++k) means[i % 2][k] += first[2 * i + k] / 75;
  }
  double spread = 0.0;
  for (std::size_t i = 0; i < 150; ++i) {
    for (std::size_t k = 0; k < 2; ++k) spread += std::pow(first[2 * i + k] - means[i % 2][k], 2) / 150;
  }
  EXPECT_GT(std::hypot(means[0][0] - means[1][0], means[0][1] - means[1][1]), 2 * std::sqrt(spread));
}

TEST(Tsne, StopsOnRequestAndRejectsInvalidInput) {
  const Matrix x = two_clusters(40);
  Context context(1, 1);
  context.set_progress([](const Progress& progress) { return progress.done < 7; });
  const TsneResult result = tsne(x.view(), {.perplexity = 5}, context);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.iterations, 7U);
  EXPECT_THROW(tsne(x.view(), {.perplexity = 14}, context), InputError);
  EXPECT_THROW(tsne(x.view(), {.perplexity = 0.5}, context), InputError);
  Matrix broken = two_clusters(40);
  broken.row(3)[2] = std::nanf("");
  EXPECT_THROW(tsne(broken.view(), {.perplexity = 5}, context), InputError);
  // Many coinciding points are valid input.
  Matrix same(40, 3);
  Context other(1, 1);
  const TsneResult flat = tsne(same.view(), {.perplexity = 5, .iterations = 60}, other);
  EXPECT_TRUE(std::ranges::all_of(flat.xy, [](double value) { return std::isfinite(value); }));
}

}  // namespace
}  // namespace linn
