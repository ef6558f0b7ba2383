#include "linn/layers/layer_norm.h"

#include <cassert>
#include <cmath>

#include "linn/kernels/elementwise.h"

namespace linn {

LayerNorm::LayerNorm(ParameterSet& parameters, const std::string& name, std::size_t size, float epsilon)
    : size_(size),
      epsilon_(epsilon),
      // Like a bias, the gain must not decay: weight decay would pull it to 0 instead of 1.
      gain_(parameters.add(name + ".gain", 1, size, ParameterKind::kBias)),
      bias_(parameters.add(name + ".bias", 1, size, ParameterKind::kBias)) {
  reset(parameters);
}

void LayerNorm::reset(ParameterSet& parameters) const {
  fill_matrix(parameters.value(gain_), 1);
  fill_matrix(parameters.value(bias_), 0);
}

// For every row, with its mean μ and its variance σ² = mean (x - μ)²:
//   n = (x - μ) / √(σ² + ε)
//   y = gain · n + bias
void LayerNorm::forward(const ParameterSet& parameters, const ConstMatrixView& x, const MatrixView& y,
                        Cache& cache) const {
  assert(x.cols == size_ && y.cols == size_ && x.rows == y.rows);
  const float* gain = parameters.value(gain_).data;
  const float* bias = parameters.value(bias_).data;
  cache.normalized.reshape(x.rows, size_);
  cache.inverse_deviation.reshape(x.rows);
  for (std::size_t i = 0; i < x.rows; ++i) {
    const float* from = x.row(i);
    float* normalized = cache.normalized.row(i);
    double sum = 0;
    for (std::size_t j = 0; j < size_; ++j) sum += from[j];
    const auto mean = static_cast<float>(sum / static_cast<double>(size_));
    for (std::size_t j = 0; j < size_; ++j) normalized[j] = from[j] - mean;
    const float variance = squared_norm(size_, normalized) / static_cast<float>(size_);
    const float inverse_deviation = 1 / std::sqrt(variance + epsilon_);
    cache.inverse_deviation[i] = inverse_deviation;
    float* to = y.row(i);
    for (std::size_t j = 0; j < size_; ++j) {
      normalized[j] *= inverse_deviation;
      to[j] = gain[j] * normalized[j] + bias[j];
    }
  }
}

// With g = dy · gain:
//   dgain += Σ dy · n    dbias += Σ dy    dx = (g - mean g - n · mean(g · n)) / √(σ² + ε)
void LayerNorm::backward(const ParameterSet& parameters, ParameterGradients& gradients, const ConstMatrixView& dy,
                         const MatrixView& dx, Cache& cache) const {
  assert(dy.cols == size_ && dx.cols == size_ && dy.rows == dx.rows && dy.rows == cache.normalized.rows());
  const float* gain = parameters.value(gain_).data;
  float* dgain = gradients.of(gain_).data;
  add_rows(dy.rows, size_, dy.data, dy.stride, gradients.of(bias_).data);
  const float part = 1 / static_cast<float>(size_);
  for (std::size_t i = 0; i < dy.rows; ++i) {
    const float* from = dy.row(i);
    const float* normalized = cache.normalized.row(i);
    float* to = dx.row(i);
    for (std::size_t j = 0; j < size_; ++j) {
      dgain[j] += from[j] * normalized[j];
      to[j] = from[j] * gain[j];
    }
    const float mean = dot(size_, from, gain) * part;
    const float projection = dot(size_, to, normalized) * part;
    for (std::size_t j = 0; j < size_; ++j) {
      to[j] = (to[j] - mean - normalized[j] * projection) * cache.inverse_deviation[i];
    }
  }
}

}  // namespace linn
