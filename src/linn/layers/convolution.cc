#include "linn/layers/convolution.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {

Convolution::Convolution(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t filters,
                         std::size_t width)
    : inputs_(inputs),
      filters_(filters),
      width_(width),
      weight_(parameters.add(name + ".weight", width * inputs, filters)),
      bias_(parameters.add(name + ".bias", 1, filters, ParameterKind::kBias)) {
  assert(width > 0);
}

std::size_t Convolution::windows(const SequenceBatch& batch, std::size_t step) const {
  return step == 0 ? batch.sequences() : batch.step_size(step + width_ - 1);
}

// c_p = x_p·W_0 + ... + x_{p+w-1}·W_{w-1} + b    for every window, from p to p + w - 1
// y = relu(max_p c_p)                            for every filter
//
// In the packed layout the k-th elements of all windows that begin at p are the first rows of step p + k, so the sum
// consists of products of blocks, and no window has to be copied.
void Convolution::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                          const MatrixView& y, Cache& cache) const {
  assert(x.rows == batch.rows() && x.cols == inputs_ && y.rows == batch.sequences() && y.cols == filters_);
  const ConstMatrixView weight = parameters.value(weight_);
  const float* bias = parameters.value(bias_).data;
  cache.responses.reshape(batch.rows(), filters_);
  cache.best.reshape(batch.sequences() * filters_);
  for (std::size_t p = 0; p < batch.steps(); ++p) {
    const std::size_t count = windows(batch, p);
    float* responses = cache.responses.row(batch.step_begin(p));
    for (std::size_t k = 0; k < width_ && p + k < batch.steps(); ++k) {
      // Fewer than count only for sequences shorter than the window, whose windows are padded with zeros.
      const std::size_t rows = std::min(count, batch.step_size(p + k));
      matmul({rows, filters_, inputs_}, by_rows(x.row(batch.step_begin(p + k)), x.stride), weight.row(k * inputs_),
             weight.stride, responses, filters_, {.accumulate = k > 0, .bias = k > 0 ? nullptr : bias});
    }
    for (std::size_t i = 0; i < count; ++i) {
      const float* response = responses + i * filters_;
      float* highest = y.row(i);
      std::uint32_t* best = cache.best.data() + i * filters_;
      for (std::size_t f = 0; f < filters_; ++f) {
        if (p == 0 || response[f] > highest[f]) {
          highest[f] = response[f];
          best[f] = static_cast<std::uint32_t>(p);
        }
      }
    }
  }
  for (std::size_t i = 0; i < y.rows; ++i) relu(filters_, y.row(i), y.row(i));
}

// For every sequence and filter with y > 0, g = dy and p the window that won:
//   dW_k += x_{p+k}·g    db += g    dx_{p+k} += g·W_k
//
// Only one window per sequence has a gradient, so single rows are cheaper than products.
void Convolution::backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                           const ConstMatrixView& x, const ConstMatrixView& y, const ConstMatrixView& dy,
                           const MatrixView& dx, Cache& cache) const {
  assert(dy.rows == batch.sequences() && dy.cols == filters_ && dx.rows == batch.rows() && dx.cols == inputs_);
  const ConstMatrixView weight = parameters.value(weight_);
  const MatrixView dweight = gradients.of(weight_);
  float* dbias = gradients.of(bias_).data;
  const std::size_t window = width_ * inputs_;
  cache.transposed.reshape(filters_, window);
  transpose(window, filters_, weight.data, weight.stride, cache.transposed.data(), window);
  cache.dtransposed.reshape(filters_, window);
  cache.dtransposed.fill(0);
  fill_matrix(dx, 0);
  for (std::size_t i = 0; i < batch.sequences(); ++i) {
    const std::uint32_t* best = cache.best.data() + i * filters_;
    for (std::size_t f = 0; f < filters_; ++f) {
      const float g = dy.row(i)[f];
      if (!(y.row(i)[f] > 0) || g == 0) continue;
      dbias[f] += g;
      const std::size_t end = std::min(batch.length(i), best[f] + width_);
      for (std::size_t t = best[f]; t < end; ++t) {
        const std::size_t row = batch.row(i, t);
        const std::size_t offset = (t - best[f]) * inputs_;
        axpy(inputs_, g, x.row(row), cache.dtransposed.row(f) + offset);
        axpy(inputs_, g, cache.transposed.row(f) + offset, dx.row(row));
      }
    }
  }
  for (std::size_t j = 0; j < window; ++j) {
    for (std::size_t f = 0; f < filters_; ++f) dweight.row(j)[f] += cache.dtransposed.row(f)[j];
  }
}

}  // namespace linn
