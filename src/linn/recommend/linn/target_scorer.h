// The truth of (g_1 and t) or ... or (g_m and t) for a few arguments g and very many targets t.
//
// With the first layer of AND split by operand, AND(g, t) = head(f(L g + R t + bias)). So L g is computed once per
// query and R t once per target for all arguments; after project_targets(), queries do not compute R t at all. Targets
// pass through all gates in blocks that fit into a core's cache, one block per task.
#pragma once

#include <cstddef>
#include <span>

#include "linn/base/aligned.h"
#include "linn/base/thread_pool.h"
#include "linn/kernels/rows.h"
#include "linn/nn/logic_network.h"

namespace linn {

// R t for all rows of a table: rows x hidden.
AlignedArray<float> project_targets(const LogicNetwork& network, const float* table, std::size_t rows,
                                    ThreadPool& threads);

// Multiply-adds in matrix products per target, excluding those of the arguments.
double multiply_adds_of_target(const LogicNetwork& network, std::size_t arguments, bool projected);

class TargetScorer {
 public:
  // `arguments` has `count` rows, at least one; those of several queries may follow each other. They and the network
  // must outlive the scorer.
  TargetScorer(const LogicNetwork& network, const float* arguments, std::size_t count);

  // Targets to score: their vectors and, if available, their projections.
  struct Targets {
    RowSource vectors;
    const float* projected = nullptr;  // indexed like the vectors
    std::size_t count = 0;
  };

  // The working memory of one thread.
  class Scratch {
   public:
    explicit Scratch(const LogicNetwork& network);

   private:
    friend class TargetScorer;
    AlignedArray<float> vectors, projected, hidden, joined, clause, head, similarity;
  };

  static constexpr std::size_t kBlock = 192;

  // The scores (before the sigmoid) of at most kBlock targets under the arguments [begin, end).
  void score(std::size_t begin, std::size_t end, const Targets& targets, Scratch& scratch, float* scores) const;

 private:
  const float* projected_of(const Targets& targets, Scratch& scratch) const;

  const LogicNetwork& network_;
  const float* arguments_;
  AlignedArray<float> projected_arguments_;  // L g
};

}  // namespace linn
