// One training step of LINN in shards (shards.h).
//
// The task's loss is a sum over examples. The laws and the length term count every vector of the batch once: a vector
// that several shards have counts in each for its share, one divided by their number, and T, which all have, for its
// share too. So neither depends on the number of shards, but for what is drawn at random. Where vectors are weighted by
// their occurrences, these add up by themselves.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "linn/optim/optimizer.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/shared_nodes.h"
#include "linn/train/logic_gradient.h"
#include "linn/train/shards.h"

namespace linn {

class ShardedLogicStep {
 public:
  // Makes the expressions of a shard, with its random numbers. May be called for several shards at once.
  using Fill = std::function<void(std::size_t shard, Random& random, ExpressionBatch& batch)>;
  // As LogicGradient::Loss, of a shard.
  using Loss = std::function<double(std::size_t shard, std::span<const float> scores, std::span<float> d_scores)>;

  // As LogicStep.
  ShardedLogicStep(LogicNetwork& network, EmbeddingTable& variables, Optimizer& optimizer, Shards& shards,
                   const LogicStepOptions& options);
  ShardedLogicStep(const ShardedLogicStep&) = delete;
  ShardedLogicStep& operator=(const ShardedLogicStep&) = delete;

  // A shard without expressions takes no part; without any there is no step.
  StepReport run(const Fill& fill, const Loss& loss, Random& random);

  // The two halves of run(): compute() returns whether there is a step to make.
  bool compute(const Fill& fill, const Loss& loss, Random& random);
  void update();
  const StepReport& report() const { return report_; }
  // After compute().
  const ParameterGradients& parameter_gradients() const { return parameters_; }
  SparseGradient variable_gradients() const { return sum_->table(0); }

  void scale_laws(float factor);

 private:
  // Every process plans all shards where it has to know what vectors they have.
  struct Part {
    explicit Part(const PlanOptions& options) : builder(options) {}

    PlanBuilder builder;
    ExpressionBatch batch;
    Plan plan;
    Random random{0};
    std::unique_ptr<LogicGradient> gradient;  // of shards of this process
  };

  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  bool weighs_vectors() const;
  void plan(const Fill& fill, Random& random);
  void catch_up();
  void compute(std::size_t shard, const Loss& loss);

  LogicNetwork& network_;
  EmbeddingTable& variables_;
  Optimizer& optimizer_;
  Shards& shards_;
  LogicStepOptions options_;
  RegularizerOptions regularizers_;  // with scaled laws
  std::vector<std::unique_ptr<Part>> parts_;
  SharedNodes shared_;
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint32_t> rows_;
  ParameterGradients parameters_;
  const ShardGradients* sum_ = nullptr;
  StepReport report_;
};

// A report as numbers that can be added, and back.
std::vector<double> to_sums(const StepReport& report);
StepReport from_sums(std::span<const double> sums);

}  // namespace linn
