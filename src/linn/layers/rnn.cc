#include "linn/layers/rnn.h"

#include <cassert>

#include "linn/kernels/activations.h"

namespace linn {

// h_t = tanh(a + s)
void Rnn::forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
                  const MatrixView& h, Cache& /*cache*/) const {
  assert(x.rows == batch.rows() && h.rows == batch.rows() && h.cols == size());
  weights_.project_inputs(parameters, x, h);
  for (std::size_t number = 0; number < batch.steps(); ++number) {
    const RecurrentStep step = weights_.step(batch, number);
    weights_.project_states(parameters, step, h, /*accumulate=*/true, h);
    for (std::size_t row = step.begin; row < step.begin + step.size; ++row) linn::tanh(size(), h.row(row), h.row(row));
  }
}

// da = ds = (dh_t from the output and from the next step) · (1 - h_t²)
void Rnn::backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                   const ConstMatrixView& x, const ConstMatrixView& h, const ConstMatrixView& dh, const MatrixView& dx,
                   Cache& cache) const {
  assert(h.rows == batch.rows() && dh.rows == batch.rows() && dh.cols == size());
  cache.da.reshape(batch.rows(), size());
  weights_.begin_backward(parameters, batch, cache.scratch);
  for (std::size_t number = batch.steps(); number-- > 0;) {
    const RecurrentStep step = weights_.step(batch, number);
    for (std::size_t i = 0; i < step.size; ++i) {
      const std::size_t row = step.begin + i;
      const float* output = dh.row(row);
      const float* carried = cache.scratch.carried.row(i);
      float* da = cache.da.row(row);
      for (std::size_t j = 0; j < size(); ++j) da[j] = output[j] + carried[j];
      tanh_backward(size(), h.row(row), da, da);
    }
    weights_.backward_states(gradients, step, h, cache.da.view(), /*accumulate=*/false, cache.scratch);
  }
  weights_.backward_inputs(parameters, gradients, x, cache.da.view(), cache.da.view(), dx, cache.scratch);
}

}  // namespace linn
