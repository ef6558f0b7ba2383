#include "linn/layers/gru.h"

#include <cassert>

#include "linn/kernels/activations.h"
#include "linn/kernels/elementwise.h"

namespace linn {

// Of a = x·W_ih + b_ih and s = h_{t-1}·W_hh + b_hh, in the order r, z, n:
//   r = sigmoid(a_r + s_r)    z = sigmoid(a_z + s_z)
//   n = tanh(a_n + r · s_n)
//   h_t = (1 - z) · n + z · h_{t-1}
void Gru::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                  const MatrixView& h, Cache& cache) const {
  assert(x.rows == batch.rows() && h.rows == batch.rows() && h.cols == size());
  const std::size_t size = this->size();
  cache.gates.reshape(batch.rows(), 3 * size);
  cache.states.reshape(batch.rows(), 3 * size);
  weights_.begin_forward(cache.scratch);
  weights_.project_inputs(parameters, x, cache.gates.view());
  for (std::size_t number = 0; number < batch.steps(); ++number) {
    const RecurrentStep step = weights_.step(batch, number);
    weights_.project_states(parameters, step, h, /*accumulate=*/false, cache.states.view());
    for (std::size_t k = 0; k < step.size; ++k) {
      const std::size_t row = step.begin + k;
      float* r = cache.gates.row(row);
      const float* z = r + size;
      float* n = r + 2 * size;
      const float* s = cache.states.row(row);
      axpy(2 * size, 1.0F, s, r);
      sigmoid(2 * size, r, r);
      const float* s_n = s + 2 * size;
      for (std::size_t j = 0; j < size; ++j) n[j] += r[j] * s_n[j];
      linn::tanh(size, n, n);
      const float* previous = k < step.carried ? h.row(step.previous + k) : cache.scratch.zeros.data();
      float* state = h.row(row);
      for (std::size_t j = 0; j < size; ++j) state[j] = (1 - z[j]) * n[j] + z[j] * previous[j];
    }
  }
}

// With dh from the output and from the next step:
//   da_n = dh · (1 - z) · (1 - n²)                  ds_n = da_n · r
//   da_r = ds_r = da_n · s_n · r(1 - r)
//   da_z = ds_z = dh · (h_{t-1} - n) · z(1 - z)
//   dh_{t-1} = dh · z + ds·W_hhᵀ
void Gru::backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                   const ConstMatrixView& x, const ConstMatrixView& h, const ConstMatrixView& dh, const MatrixView& dx,
                   Cache& cache) const {
  assert(h.rows == batch.rows() && dh.rows == batch.rows() && dh.cols == size());
  const std::size_t size = this->size();
  cache.da.reshape(batch.rows(), 3 * size);
  cache.ds.reshape(batch.rows(), 3 * size);
  weights_.begin_backward(parameters, batch, cache.scratch);
  for (std::size_t number = batch.steps(); number-- > 0;) {
    const RecurrentStep step = weights_.step(batch, number);
    for (std::size_t k = 0; k < step.size; ++k) {
      const std::size_t row = step.begin + k;
      const float* r = cache.gates.row(row);
      const float* z = r + size;
      const float* n = r + 2 * size;
      const float* s_n = cache.states.row(row) + 2 * size;
      const float* previous = k < step.carried ? h.row(step.previous + k) : cache.scratch.zeros.data();
      const float* output = dh.row(row);
      float* carried = cache.scratch.carried.row(k);
      float* da = cache.da.row(row);
      float* ds = cache.ds.row(row);
      for (std::size_t j = 0; j < size; ++j) {
        const float dstate = output[j] + carried[j];
        const float da_n = dstate * (1 - z[j]) * (1 - n[j] * n[j]);
        da[j] = ds[j] = da_n * s_n[j] * r[j] * (1 - r[j]);
        da[size + j] = ds[size + j] = dstate * (previous[j] - n[j]) * z[j] * (1 - z[j]);
        da[2 * size + j] = da_n;
        ds[2 * size + j] = da_n * r[j];
        carried[j] = dstate * z[j];
      }
    }
    weights_.backward_states(gradients, step, h, cache.ds.view(), /*accumulate=*/true, cache.scratch);
  }
  weights_.backward_inputs(parameters, gradients, x, cache.da.view(), cache.ds.view(), dx, cache.scratch);
}

}  // namespace linn
