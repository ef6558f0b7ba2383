// Two recurrent layers over the same sequences, one in each direction.
#pragma once

#include <cassert>
#include <cstddef>
#include <string>

#include "linn/layers/recurrent.h"

namespace linn {

// h = (forward h, reverse h), packed with 2·size columns. Layer is Rnn, Lstm or Gru.
template <class Layer>
class Bidirectional {
 public:
  Bidirectional(ParameterSet& parameters, const std::string& name, std::size_t inputs, std::size_t size)
      : forward_(parameters, name + ".forward", inputs, size, Direction::kForward),
        reverse_(parameters, name + ".reverse", inputs, size, Direction::kReverse) {}

  struct Cache {
    typename Layer::Cache forward;
    typename Layer::Cache reverse;
    Matrix dx;
  };

  // Of one direction.
  std::size_t size() const { return forward_.size(); }

  void forward(const ParameterSet& parameters, const SequenceBatch& batch, const ConstMatrixView& x,
               const MatrixView& h, Cache& cache) const {
    assert(h.cols == 2 * size());
    forward_.forward(parameters, batch, x, column_range(h, 0, size()), cache.forward);
    reverse_.forward(parameters, batch, x, column_range(h, size(), size()), cache.reverse);
  }

  void backward(const ParameterSet& parameters, ParameterGradients& gradients, const SequenceBatch& batch,
                const ConstMatrixView& x, const ConstMatrixView& h, const ConstMatrixView& dh, const MatrixView& dx,
                Cache& cache) const {
    forward_.backward(parameters, gradients, batch, x, column_range(h, 0, size()), column_range(dh, 0, size()), dx,
                      cache.forward);
    cache.dx.reshape(dx.rows, dx.cols);
    reverse_.backward(parameters, gradients, batch, x, column_range(h, size(), size()),
                      column_range(dh, size(), size()), cache.dx.view(), cache.reverse);
    add_matrix(cache.dx.view(), dx);
  }

  // The last state of each direction: one row of 2·size per sequence.
  void final_states(const SequenceBatch& batch, const ConstMatrixView& h, const MatrixView& states) const {
    gather_rows(column_range(h, 0, size()), batch.last_rows(), column_range(states, 0, size()));
    copy_matrix(row_range(column_range(h, size(), size()), 0, batch.sequences()), column_range(states, size(), size()));
  }
  void final_states_backward(const SequenceBatch& batch, const ConstMatrixView& dstates, const MatrixView& dh) const {
    fill_matrix(dh, 0);
    scatter_rows(column_range(dstates, 0, size()), batch.last_rows(), column_range(dh, 0, size()));
    copy_matrix(column_range(dstates, size(), size()),
                row_range(column_range(dh, size(), size()), 0, batch.sequences()));
  }

 private:
  Layer forward_;
  Layer reverse_;
};

}  // namespace linn
