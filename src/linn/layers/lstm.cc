#include "linn/layers/lstm.h"

#include <cassert>

#include "linn/kernels/activations.h"

namespace linn {

// i, f, o = sigmoid(a + s)    g = tanh(a + s)    of the parts of a and s in the order i, f, g, o
// c_t = f · c_{t-1} + i · g
// h_t = o · tanh(c_t)
void Lstm::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                   const MatrixView& h, Cache& cache) const {
  assert(x.rows == batch.rows() && h.rows == batch.rows() && h.cols == size());
  const std::size_t n = size();
  cache.gates.reshape(batch.rows(), 4 * n);
  cache.cell.reshape(batch.rows(), n);
  cache.cell_tanh.reshape(batch.rows(), n);
  weights_.begin_forward(cache.scratch);
  weights_.project_inputs(parameters, x, cache.gates.view());
  for (std::size_t number = 0; number < batch.steps(); ++number) {
    const RecurrentStep step = weights_.step(batch, number);
    weights_.project_states(parameters, step, h, /*accumulate=*/true, cache.gates.view());
    for (std::size_t k = 0; k < step.size; ++k) {
      const std::size_t row = step.begin + k;
      float* i = cache.gates.row(row);
      const float* f = i + n;
      float* g = i + 2 * n;
      float* o = i + 3 * n;
      sigmoid(2 * n, i, i);
      linn::tanh(n, g, g);
      sigmoid(n, o, o);
      const float* previous = k < step.carried ? cache.cell.row(step.previous + k) : cache.scratch.zeros.data();
      float* cell = cache.cell.row(row);
      for (std::size_t j = 0; j < n; ++j) cell[j] = f[j] * previous[j] + i[j] * g[j];
      float* cell_tanh = cache.cell_tanh.row(row);
      linn::tanh(n, cell, cell_tanh);
      float* state = h.row(row);
      for (std::size_t j = 0; j < n; ++j) state[j] = o[j] * cell_tanh[j];
    }
  }
}

// With dh_t and dc_t from the output and from the next step:
//   dc     = dc_t + dh_t · o · (1 - tanh(c_t)²)
//   da = ds = (dc · g · i(1 - i),  dc · c_{t-1} · f(1 - f),  dc · i · (1 - g²),  dh_t · tanh(c_t) · o(1 - o))
//   dc_{t-1} = dc · f
void Lstm::backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                    const ConstMatrixView& x, const ConstMatrixView& h, const ConstMatrixView& dh, const MatrixView& dx,
                    Cache& cache) const {
  assert(h.rows == batch.rows() && dh.rows == batch.rows() && dh.cols == size());
  const std::size_t n = size();
  cache.da.reshape(batch.rows(), 4 * n);
  cache.dcell.reshape(batch.sequences(), n);
  cache.dcell.fill(0);
  weights_.begin_backward(parameters, batch, cache.scratch);
  for (std::size_t number = batch.steps(); number-- > 0;) {
    const RecurrentStep step = weights_.step(batch, number);
    for (std::size_t k = 0; k < step.size; ++k) {
      const std::size_t row = step.begin + k;
      const float* i = cache.gates.row(row);
      const float* f = i + n;
      const float* g = i + 2 * n;
      const float* o = i + 3 * n;
      const float* cell_tanh = cache.cell_tanh.row(row);
      const float* previous = k < step.carried ? cache.cell.row(step.previous + k) : cache.scratch.zeros.data();
      const float* output = dh.row(row);
      const float* carried = cache.scratch.carried.row(k);
      float* dcell = cache.dcell.row(k);
      float* di = cache.da.row(row);
      float* df = di + n;
      float* dg = di + 2 * n;
      float* d_o = di + 3 * n;
      for (std::size_t j = 0; j < n; ++j) {
        const float dstate = output[j] + carried[j];
        const float dc = dcell[j] + dstate * o[j] * (1 - cell_tanh[j] * cell_tanh[j]);
        di[j] = dc * g[j] * i[j] * (1 - i[j]);
        df[j] = dc * previous[j] * f[j] * (1 - f[j]);
        dg[j] = dc * i[j] * (1 - g[j] * g[j]);
        d_o[j] = dstate * cell_tanh[j] * o[j] * (1 - o[j]);
        dcell[j] = dc * f[j];
      }
    }
    weights_.backward_states(gradients, step, h, cache.da.view(), /*accumulate=*/false, cache.scratch);
  }
  weights_.backward_inputs(parameters, gradients, x, cache.da.view(), cache.da.view(), dx, cache.scratch);
}

}  // namespace linn
