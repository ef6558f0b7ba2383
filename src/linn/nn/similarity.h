// The similarity of two vectors: Sim(a, b) = sigmoid(score(a, b)).
//
//   cosine  score = alpha * a.b / (|a| |b|)          (the paper's choice)
//   dot     score = a.b
//   mlp     score = u . relu(a A + b B + c) + e
#pragma once

#include <cstddef>
#include <memory>

#include "linn/base/aligned.h"
#include "linn/kernels/rows.h"
#include "linn/nn/network_options.h"
#include "linn/nn/parameters.h"

namespace linn {

class Similarity {
 public:
  virtual ~Similarity() = default;

  virtual void prepare(const ParameterSet& parameters) = 0;
  virtual std::size_t scratch(std::size_t rows) const = 0;

  // One score per row. backward() for the same rows needs `scratch` as score() leaves it.
  virtual void score(std::size_t rows, const RowSource& a, const RowSource& b, float* scores, float* scratch) const = 0;

  // From the gradients of the scores: writes or adds those of a, adds those of b (if its target has data) and those of
  // the parameters (unless `gradients` is null). `d_a` may be the storage of a itself.
  virtual void backward(std::size_t rows, const RowSource& a, const RowSource& b, const float* d_scores,
                        const RowTarget& d_a, bool accumulate_a, const RowTarget& d_b, ParameterGradients* gradients,
                        float* scratch) const = 0;

  // Multiply-adds of one row in matrix products, forward.
  virtual std::size_t multiply_adds() const { return 0; }
};

std::unique_ptr<Similarity> make_similarity(const NetworkOptions& options, ParameterSet& parameters);

}  // namespace linn
