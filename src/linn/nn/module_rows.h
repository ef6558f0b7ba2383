// The modules on rows of vectors, without a plan: for asking a trained network what no normal form can say, such as the
// negation of a gate.
//
//   ModuleRows modules(network, pool);
//   modules.gate(Gate::kAnd, rows, {a, d}, {b, d}, both);     // both = AND(a, b), row by row
//   modules.negate(rows, {both, d}, neither);
//
// A row of a source with stride 0 is the same vector for all. Results have rows of the network's width without gaps and
// overlap no operand. They do not depend on the number of threads, nor a row on the others.
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
  // Both must outlive it; the network must be prepared and stay as it is.
  ModuleRows(const LogicNetwork& network, ThreadPool& pool);

  std::size_t width() const { return network_.width(); }

  void negate(std::size_t rows, const RowSource& a, float* out);
  void gate(Gate gate, std::size_t rows, const RowSource& a, const RowSource& b, float* out);
  // Sim(a, b)
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
