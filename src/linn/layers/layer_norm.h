// Layer normalisation (Ba, Kiros & Hinton, 2016).
#pragma once

#include <cstddef>
#include <string>

#include "linn/layers/layer.h"

namespace linn {

class LayerNorm {
 public:
  // Calls reset.
  LayerNorm(ParameterSet& parameters, const std::string& name, std::size_t size, float epsilon = 1e-5F);

  // Gain 1 and bias 0, the usual start. Call it again after ParameterSet::initialize_normal, whose gain near 0 would
  // silence the layer.
  void reset(ParameterSet& parameters) const;

  struct Cache {
    Matrix normalized;
    AlignedArray<float> inverse_deviation;
  };

  void forward(const ParameterSet& parameters, const ConstMatrixView& x, const MatrixView& y, Cache& cache) const;
  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const ConstMatrixView& dy,
                const MatrixView& dx, Cache& cache) const;

 private:
  std::size_t size_;
  float epsilon_;
  std::size_t gain_;
  std::size_t bias_;
};

}  // namespace linn
