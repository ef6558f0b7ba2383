// t-SNE: vectors of many dimensions as points of the plane, such that neighbours stay neighbours (van der Maaten &
// Hinton, 2008), in n log n steps (van der Maaten, 2014).
//
//   C = KL(P || Q) = Σ p_ij log(p_ij / q_ij),     q_ij ~ 1 / (1 + |y_i - y_j|²)
//
// p_ij follows from the distances of the nearest neighbours in the space of the vectors. Of the gradient
//
//   dC/dy_i = 4 Σ_j (p_ij - q_ij) (y_i - y_j) / (1 + |y_i - y_j|²)
//
// the part with p is a sum over neighbours, and that with q one over a quad tree.
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
  double perplexity = 30.0;  // how many neighbours a point has, about
  std::size_t iterations = 1000;
  double theta = 0.5;                         // of the quad tree; 0: exact
  double exaggeration = 12.0;                 // of P at first, so that clusters form
  std::size_t exaggeration_iterations = 250;  // also those with the lower momentum
};

struct TsneResult {
  std::vector<double> xy;   // x and y of every vector
  double divergence = 0.0;  // C at the end
  std::size_t iterations = 0;
  bool interrupted = false;
};

// The same vectors, options and seed give the same bits, whatever the number of threads. A listener of the context that
// wants to stop ends it with what there is. Throws InputError where there are too few vectors for the perplexity, three
// times which are looked at, or where a vector is not finite.
TsneResult tsne(const ConstMatrixView& vectors, const TsneOptions& options, Context& context);

// P: symmetric, all of it together 1, without a diagonal. Row i has columns[starts[i]] up to columns[starts[i + 1]],
// ascending.
struct Affinities {
  std::vector<std::size_t> starts;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
};
Affinities tsne_affinities(const ConstMatrixView& vectors, double perplexity, ThreadPool& pool);

// The gradient of C with P times `exaggeration`, x and y of every point.
class TsneGradient {
 public:
  // Both must outlive it.
  TsneGradient(const Affinities& affinities, ThreadPool& pool) : affinities_(affinities), pool_(pool) {}

  void compute(std::span<const double> xy, double exaggeration, double theta, std::span<double> gradient);
  // C of the points that were computed last.
  double divergence(std::span<const double> xy) const;

 private:
  const Affinities& affinities_;
  ThreadPool& pool_;
  QuadTree tree_;
  std::vector<double> repulsion_;
  std::vector<double> sums_;  // of q, a chunk of points each
  double sum_ = 0.0;
};

}  // namespace linn
