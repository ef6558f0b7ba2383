// One training step of LINN on whole histories in shards (train/shards.h): a shard is some of the stretches.
//
// The loss is the mean over the targets of the batch. Every literal of a stretch is a vector of its own, so no vector
// but T is in two shards.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "linn/recommend/linn/fold_step.h"
#include "linn/train/shards.h"

namespace linn {

class ShardedFoldStep {
 public:
  // As FoldStep.
  ShardedFoldStep(LogicNetwork& network, EmbeddingTable& variables, std::size_t items, Optimizer& optimizer,
                  Shards& shards, const LogicStepOptions& options, float event_dropout);
  ShardedFoldStep(const ShardedFoldStep&) = delete;
  ShardedFoldStep& operator=(const ShardedFoldStep&) = delete;

  StepReport run(const HistoryBatch& batch, Random& random);

  // The two halves of run(): compute() returns whether there is a step to make.
  bool compute(const HistoryBatch& batch, Random& random);
  void update();
  const StepReport& report() const { return report_; }
  // After compute().
  const ParameterGradients& parameter_gradients() const { return parameters_; }
  SparseGradient variable_gradients() const { return sum_->table(0); }

  void scale_laws(float factor);

 private:
  // Of a shard of this process.
  struct Part {
    std::unique_ptr<FoldStep> step;
    HistoryBatch batch;
  };

  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  void catch_up(const HistoryBatch& batch);

  LogicNetwork& network_;
  EmbeddingTable& variables_;
  std::size_t items_;
  Optimizer& optimizer_;
  Shards& shards_;
  std::vector<Part> parts_;
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint32_t> rows_;
  ParameterGradients parameters_;
  const ShardGradients* sum_ = nullptr;
  StepReport report_;
};

}  // namespace linn
