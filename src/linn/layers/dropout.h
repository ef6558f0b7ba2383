// Inverted dropout (Srivastava et al., 2014).
#pragma once

#include <cstdint>

#include "linn/base/random.h"
#include "linn/layers/layer.h"

namespace linn {

class Dropout {
 public:
  // 0 ≤ rate < 1, the share that is dropped.
  explicit Dropout(double rate);

  struct Cache {
    AlignedArray<std::uint8_t> keep;
    bool active = false;  // whether forward dropped anything
  };

  // Without a generator (in evaluation) or with rate 0 the layer is the identity and draws nothing. Otherwise every
  // element takes 32 random bits, row by row. y may be x, and dx may be dy.
  void forward(const ConstMatrixView& x, Random* random, const MatrixView& y, Cache& cache) const;
  void backward(const ConstMatrixView& dy, const MatrixView& dx, const Cache& cache) const;

 private:
  void apply(const ConstMatrixView& from, const std::uint8_t* keep, const MatrixView& to) const;

  double rate_;
};

}  // namespace linn
