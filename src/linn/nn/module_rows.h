// The modules applied to rows of vectors, without a plan: for formulas that are no normal form, such as the negation of
// a gate.
//
//   ModuleRows modules(network, pool);
//   modules.gate(Gate::kAnd, rows, {a, d}, {b, d}, both);     // both = AND(a, b), row by row
//   modules.negate(rows, {both, d}, neither);
//
// A source with stride 0 is one vector for all rows. Results have rows of the network's width without gaps and overlap
// no operand. A row depends neither on the other rows nor on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/kernels/rows.h"
#include "linn/nn/logic_network.h"

namespace linn {

class ModuleRows {
 public:
  // Both must outlive it; the network must be prepared and must not change.
  ModuleRows(const LogicNetwork& network, ThreadPool& pool);

  std::size_t width() const { return network_.width(); }

  void negate(std::size_t rows, const RowSource& a, float* out);
  void gate(Gate gate, std::size_t rows, const RowSource& a, const RowSource& b, float* out);
  // Sim(a, b), as laws compare vectors.
  void similarity(std::size_t rows, const RowSource& a, const RowSource& b, float* out);

  RowSource true_row() const { return {network_.true_vector().data(), 0}; }
  RowSource false_row() const { return {false_.data(), 0}; }  // NOT(T)

 private:
  struct Scratch {
    AlignedArray<float> left, right;  // operands, gathered
    AlignedArray<float> left_hidden, right_hidden, hidden, own;
  };

  template <class Work>
  void for_each_block(std::size_t rows, Work&& work);

  const LogicNetwork& network_;
  ThreadPool& pool_;
  AlignedArray<float> false_;
  std::vector<Scratch> scratch_;  // by thread
};

}  // namespace linn
