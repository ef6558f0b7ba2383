// How alike two vectors are: Sim(a, b) = sigmoid(score(a, b)).
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

  virtual void prepare(ParameterSet& parameters) = 0;
  virtual std::size_t scratch(std::size_t rows) const = 0;

  // One score a row. `scratch` must be left alone until backward() was called for the same rows.
  virtual void score(std::size_t rows, const RowSource& a, const RowSource& b, float* scores, float* scratch) const = 0;

  // From the gradients of the scores: writes or adds those of a, adds those of b (where b's target has data) and those
  // of the parameters (where there is a block for them). `d_a` may be the storage of a itself.
  virtual void backward(std::size_t rows, const RowSource& a, const RowSource& b, const float* d_scores,
                        const RowTarget& d_a, bool accumulate_a, const RowTarget& d_b, float* parameter_gradients,
                        float* scratch) const = 0;

  // Multiply-adds of one row in matrix products, forward.
  virtual std::size_t multiply_adds() const { return 0; }
};

std::unique_ptr<Similarity> make_similarity(const NetworkOptions& options, ParameterSet& parameters);

}  // namespace linn
