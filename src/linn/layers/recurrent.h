// What the recurrent layers share: weights, the order of the steps of a batch, and the products.
//
// A layer has G gates. In step t it computes, from the input x and its own state h of the step before,
//
//   a = x·W_ih + b_ih        for all steps at once
//   s = h·W_hh + b_hh        step by step
//
// with W_ih: inputs × G·size, W_hh: size × G·size, the gates side by side in PyTorch's order (and two biases, as in
// PyTorch), and then an element-wise function of a, s and h. States start as zeros. A reverse layer reads every
// sequence from its end; its state at a row is the state after the row's element, so the outputs of both directions
// line up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "linn/layers/layer.h"
#include "linn/layers/sequence_batch.h"

namespace linn {

enum class Direction : std::uint8_t { kForward, kReverse };

// A step in the order of the layer. The first `carried` of its sequences have a state from the step before, in the rows
// from `previous` on; the others begin here.
struct RecurrentStep {
  std::size_t begin;
  std::size_t size;
  std::size_t previous;
  std::size_t carried;
};

class RecurrentWeights {
 public:
  RecurrentWeights(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t size,
                   std::size_t gates, Direction direction);

  std::size_t size() const { return size_; }

  struct Scratch {
    Matrix transposed_ih;
    Matrix transposed_hh;
    Matrix carried;  // one row per sequence: the gradient of its state from the later steps
    Matrix zeros;    // the state of a sequence that begins
  };

  // The steps of the batch in the order of the layer, number = 0, 1, ...
  RecurrentStep step(const SequenceBatch& batch, std::size_t number) const;

  // projected = x·W_ih + b_ih
  void project_inputs(const ParameterSet& parameters, const ConstMatrixView& x, const MatrixView& projected) const;
  // In the rows of the step: projected (+)= h·W_hh + b_hh, h being the states one step before.
  void project_states(const ParameterSet& parameters, const RecurrentStep& step, const ConstMatrixView& h,
                      bool accumulate, const MatrixView& projected) const;

  // Prepare the scratch. Backward starts without carried gradients.
  void begin_forward(Scratch& scratch) const;
  void begin_backward(const ParameterSet& parameters, const SequenceBatch& batch, Scratch& scratch) const;
  // Given ds in the rows of the step: dW_hh += hᵀ·ds, and carried (+)= ds·W_hhᵀ for the sequences with a state before.
  void backward_states(ParameterGradients& gradients, const RecurrentStep& step, const ConstMatrixView& h,
                       const ConstMatrixView& ds, bool accumulate, Scratch& scratch) const;
  // Given all of da and ds: dW_ih += xᵀ·da, both biases, and dx = da·W_ihᵀ.
  void backward_inputs(const ParameterSet& parameters, ParameterGradients& gradients, const ConstMatrixView& x,
                       const ConstMatrixView& da, const ConstMatrixView& ds, const MatrixView& dx,
                       Scratch& scratch) const;

 private:
  std::size_t inputs_;
  std::size_t size_;
  std::size_t width_;  // gates · size
  Direction direction_;
  std::size_t weight_ih_;
  std::size_t weight_hh_;
  std::size_t bias_ih_;
  std::size_t bias_hh_;
};

}  // namespace linn
