// One training step of LINN on whole histories.
//
// The events of a stretch e_1, e_2, ..., disliked ones negated, are one chain: the state after k events is
//
//   s_0 = F,   s_k = OR(s_(k-1), e_k)
//
// and every like after the first event is a target: among all items t, the liked one should have the highest truth of
// AND(s_(k-1), t). A stretch of n events takes n gates, whatever the number of its targets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/layers/dropout.h"
#include "linn/nn/embedding.h"
#include "linn/nn/gradient_run.h"
#include "linn/nn/pair_truth.h"
#include "linn/optim/optimizer.h"
#include "linn/plan/expression_batch.h"
#include "linn/plan/plan_builder.h"
#include "linn/recommend/protocol/catalogue_softmax.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/train/logic_step.h"

namespace linn {

// Item i is variable i.
inline Literal literal_of(const Event& event) { return Literal::of(event.item, !event.liked); }

class FoldStep {
 public:
  // All arguments must outlive the step. The optimizer must be bound to the network's parameters, with the variables as
  // its only table: `items` items, then the users that have a vector. `event_dropout` is the share of events that are
  // left out of the histories at random, but stay targets.
  FoldStep(LogicNetwork& network, EmbeddingTable& variables, std::size_t items, Optimizer& optimizer, ThreadPool& pool,
           const LogicStepOptions& options, float event_dropout = 0.0F, TrainingDevice* device = nullptr);

  // The gradients are those of the mean loss over the targets; laws and lengths, too, are divided by their number. The
  // report has sums.
  StepReport run(const HistoryBatch& batch, Random& random);

  // The two halves of run().
  StepReport compute(const HistoryBatch& batch, Random& random);
  void update();

  // The gradients of one of several parts of a batch, of which all have `targets` targets together, and `parts` have
  // some. Without targets of its own a part has none. The rows that it reads must be up to date.
  StepReport compute_part(const HistoryBatch& part, std::size_t targets, std::size_t parts, Random& random);
  bool has_targets() const { return !targets_.empty(); }
  // On a device, as for LogicStep.
  bool on_device() const { return device_ != nullptr; }
  void queue(const HistoryBatch& batch, Random& random);
  StepReport finish();

  // Builds the plan of a batch, as compute() does.
  void plan_batch(const HistoryBatch& batch, Random& random);

  // After compute().
  const ParameterGradients& parameter_gradients() const { return run_.parameter_gradients(); }
  const SparseGradient& variable_gradients() const { return gradient_; }
  const Plan& plan() const { return plan_; }

  // Multiplies the weights of the laws, as given by the options, by the factor from now on.
  void scale_laws(float factor) { law_scale_ = factor; }

 private:
  bool modules_learn() const { return optimizer_.options().parameter_rate > 0; }
  void read(const HistoryBatch& batch, Random& random);
  void find_rows(const HistoryBatch& batch);
  StepReport compute_gradients(const HistoryBatch& batch, std::size_t targets, Random& random);
  void set_regularizers(float share);
  void find_places(std::span<const std::uint32_t> items, std::vector<std::uint32_t>& places) const;
  double choose(const HistoryBatch& batch, const RowSource& roots, float share, Random& random);
  void collect_gradient();

  LogicNetwork& network_;
  EmbeddingTable& variables_;
  std::size_t items_;
  Optimizer& optimizer_;
  ThreadPool& pool_;
  LogicStepOptions options_;
  float event_dropout_;
  float law_scale_ = 1.0F;
  PlanBuilder builder_;
  GradientRun run_;
  PairTruth truth_;
  CatalogueSoftmax softmax_;
  Dropout dropout_;  // of states

  // The batch.
  std::vector<Literal> literals_;
  std::vector<std::uint32_t> prefixes_;
  ExpressionBatch expressions_;
  Plan plan_;
  RegularizerOptions regularizers_;
  std::vector<ItemId> targets_;

  // Rows of the table that the step reads, ascending: the items to choose among, then users.
  std::vector<std::uint32_t> rows_;
  std::size_t chosen_ = 0;            // items among them
  std::vector<std::uint32_t> place_;  // by row: its place in rows_, plus one; 0: not read
  std::vector<std::uint32_t> target_places_, negative_places_, event_places_;

  Dropout::Cache state_dropout_;
  AlignedArray<float> states_, d_states_, item_vectors_;
  PairQueries queries_, d_queries_;
  PairKeys keys_, d_keys_;
  AlignedArray<float> d_rows_;
  SparseGradient gradient_;

  std::unique_ptr<DeviceTraining> device_;  // null: the CPU
  LawRows negated_law_rows_, other_law_rows_;
};

}  // namespace linn
