// t-SNE: embeds high-dimensional vectors in the plane such that neighbours stay neighbours (van der Maaten & Hinton,
// 2008), in O(n log n) per iteration (van der Maaten, 2014).
//
//   C = KL(P || Q) = Σ p_ij log(p_ij / q_ij),     q_ij ~ 1 / (1 + |y_i - y_j|²)
//
// p_ij is computed from the distances to the nearest neighbours in the original space. In the gradient
//
//   dC/dy_i = 4 Σ_j (p_ij - q_ij) (y_i - y_j) / (1 + |y_i - y_j|²)
//
// the part with p is a sum over neighbours, and the part with q is approximated with a quadtree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "linn/base/context.h"
#include "linn/embed/quad_tree.h"
#include "linn/layers/layer.h"

namespace linn {

struct TsneOptions {
  double perplexity = 30.0;  // effective number of neighbours of a point
  std::size_t iterations = 1000;
  double theta = 0.5;                         // accuracy of the quadtree; 0: exact
  double exaggeration = 12.0;                 // of P during the first iterations, so that clusters form
  std::size_t exaggeration_iterations = 250;  // also the number of iterations with the lower momentum
};

struct TsneResult {
  std::vector<double> xy;   // x and y of each vector
  double divergence = 0.0;  // final value of C
  std::size_t iterations = 0;
  bool interrupted = false;
};

// The same vectors, options and seed give bit-identical results for any number of threads. If the context's listener
// requests a stop, the current points are returned. Throws InputError if there are too few vectors for the perplexity
// (each point needs three times as many neighbours) or if a vector is not finite.
TsneResult tsne(const ConstMatrixView& vectors, const TsneOptions& options, Context& context);

// P: symmetric, with sum 1 and without a diagonal. Row i has the columns columns[starts[i]] to columns[starts[i + 1] -
// 1], ascending.
struct Affinities {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};
Affinities tsne_affinities(const ConstMatrixView& vectors, double perplexity, ThreadPool& pool);

// The gradient of C with P multiplied by `exaggeration`: x and y of each point.
class TsneGradient {
 public:
  // Both must outlive this object.
  TsneGradient(const Affinities& affinities, ThreadPool& pool) : affinities_(affinities), pool_(pool) {}

  void compute(std::span<const double> xy, double exaggeration, double theta, std::span<double> gradient);
  // C for the points of the last gradient.
  double divergence(std::span<const double> xy) const;

 private:
  const Affinities& affinities_;
  ThreadPool& pool_;
  QuadTree tree_;
  std::vector<double> repulsion_;
  std::vector<double> sums_;  // partial sums of q, one per chunk of points
  double sum_ = 0.0;
};

}  // namespace linn
