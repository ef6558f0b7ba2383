#include "linn/layers/recurrent.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/matmul.h"

namespace linn {

RecurrentWeights::RecurrentWeights(ParameterSet& parameters, const std::string& name, std::size_t inputs,
                                   std::size_t size, std::size_t gates, Direction direction)
    : inputs_(inputs),
      size_(size),
      width_(gates * size),
      direction_(direction),
      weight_ih_(parameters.add(name + ".weight_ih", inputs, width_)),
      weight_hh_(parameters.add(name + ".weight_hh", size, width_)),
      bias_ih_(parameters.add(name + ".bias_ih", 1, width_, ParameterKind::kBias)),
      bias_hh_(parameters.add(name + ".bias_hh", 1, width_, ParameterKind::kBias)) {}

RecurrentStep RecurrentWeights::step(const SequenceBatch& batch, std::size_t number) const {
  if (direction_ == Direction::kForward) {
    // All sequences of a step were in the one before.
    const std::size_t size = batch.step_size(number);
    if (number == 0) return {0, size, 0, 0};
    return {batch.step_begin(number), size, batch.step_begin(number - 1), size};
  }
  // From the end, sequences join: those of the next step continue, the others have their last element here.
  const std::size_t t = batch.steps() - 1 - number;
  return {batch.step_begin(t), batch.step_size(t), batch.step_begin(t + 1), batch.step_size(t + 1)};
}

void RecurrentWeights::project_inputs(const ParameterSet& parameters, const ConstMatrixView& x,
                                      const MatrixView& projected) const {
  assert(x.cols == inputs_ && projected.cols == width_ && x.rows == projected.rows);
  matmul({x.rows, width_, inputs_}, by_rows(x.data, x.stride), parameters.value(weight_ih_).data, width_,
         projected.data, projected.stride, {.bias = parameters.value(bias_ih_).data});
}

void RecurrentWeights::project_states(const ParameterSet& parameters, const RecurrentStep& step,
                                      const ConstMatrixView& h, bool accumulate, const MatrixView& projected) const {
  assert(h.cols == size_ && projected.cols == width_);
  const float* bias = parameters.value(bias_hh_).data;
  matmul({step.carried, width_, size_}, by_rows(h.row(step.previous), h.stride), parameters.value(weight_hh_).data,
         width_, projected.row(step.begin), projected.stride, {.accumulate = accumulate, .bias = bias});
  for (std::size_t i = step.carried; i < step.size; ++i) {
    float* row = projected.row(step.begin + i);
    if (accumulate) {
      axpy(width_, 1.0F, bias, row);
    } else {
      std::copy_n(bias, width_, row);
    }
  }
}

void RecurrentWeights::begin_forward(Scratch& scratch) const {
  scratch.zeros.reshape(1, size_);
  scratch.zeros.fill(0);
}

void RecurrentWeights::begin_backward(const ParameterSet& parameters, const SequenceBatch& batch,
                                      Scratch& scratch) const {
  scratch.carried.reshape(batch.sequences(), size_);
  scratch.carried.fill(0);
  scratch.transposed_hh.reshape(width_, size_);
  transpose(size_, width_, parameters.value(weight_hh_).data, width_, scratch.transposed_hh.data(), size_);
}

void RecurrentWeights::backward_states(ParameterGradients& gradients, const RecurrentStep& step,
                                       const ConstMatrixView& h, const ConstMatrixView& ds, bool accumulate,
                                       Scratch& scratch) const {
  assert(h.cols == size_ && ds.cols == width_);
  matmul({size_, width_, step.carried}, transposed(h.row(step.previous), h.stride), ds.row(step.begin), ds.stride,
         gradients.of(weight_hh_).data, width_, {.accumulate = true});
  matmul({step.carried, size_, width_}, by_rows(ds.row(step.begin), ds.stride), scratch.transposed_hh.data(), size_,
         scratch.carried.data(), size_, {.accumulate = accumulate});
}

void RecurrentWeights::backward_inputs(const ParameterSet& parameters, ParameterGradients& gradients,
                                       const ConstMatrixView& x, const ConstMatrixView& da, const ConstMatrixView& ds,
                                       const MatrixView& dx, Scratch& scratch) const {
  assert(x.cols == inputs_ && dx.cols == inputs_ && x.rows == dx.rows && x.rows == da.rows && x.rows == ds.rows);
  matmul({inputs_, width_, x.rows}, transposed(x.data, x.stride), da.data, da.stride, gradients.of(weight_ih_).data,
         width_, {.accumulate = true});
  add_rows(x.rows, width_, da.data, da.stride, gradients.of(bias_ih_).data);
  add_rows(x.rows, width_, ds.data, ds.stride, gradients.of(bias_hh_).data);
  scratch.transposed_ih.reshape(width_, inputs_);
  transpose(inputs_, width_, parameters.value(weight_ih_).data, width_, scratch.transposed_ih.data(), inputs_);
  matmul({x.rows, inputs_, width_}, by_rows(da.data, da.stride), scratch.transposed_ih.data(), inputs_, dx.data,
         dx.stride);
}

}  // namespace linn
