// LINN as a recommender over clauses: items are variables, a history and a candidate item form an expression
// (recommendation_expressions.h), and the truth of the expression is the score of the item.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/recommend/linn/linn_model.h"
#include "linn/recommend/linn/recommendation_expressions.h"
#include "linn/train/logic_step.h"
#include "linn/train/sharded_logic_step.h"

namespace linn {

class LinnRecommender : public LinnModel {
 public:
  // For training, with random initial values. Throws InputError for options that contradict each other.
  LinnRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context);
  // Loaded, for prediction only: has no optimizer and no gradients, and train_step() throws Failure. Throws InputError
  // if a tensor is missing or has another shape.
  LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
                  const std::string& prefix);

  // Scores are logits: the truth of an expression is sigmoid(score). Chains fold from the left, oldest event first,
  // without dropout. A query with an empty window and no user vector is scored by like_log_odds().
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;

  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;

  // Keeps the projections of all items for AND: items x hidden width floats.
  void prepare_for_queries(ThreadPool& threads) override;

  void use_shards(Shards& shards) override;
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;

 protected:
  void values_changed() override;
  StepReport finish_steps() override { return step_ ? step_->finish() : StepReport(); }

 private:
  struct Arguments;

  // The expressions of some groups of a batch, and working memory for them.
  struct Expressions {
    RecommendationExpressions make;
    std::vector<Event> window = {};
  };

  LogicStep& step_on(ThreadPool& threads);
  void add_expressions(const RankingBatch& batch, RowRange groups, Random& random, Expressions& expressions,
                       ExpressionBatch& out) const;
  double train_shards(const RankingBatch& batch, Random& random);
  void score_on_device(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                       std::span<float> scores) const;
  Arguments find_arguments(std::span<const Query> queries, ThreadPool& threads) const;

  AlignedArray<float> projected_items_;

  // Training.
  std::unique_ptr<LogicStep> step_;
  ThreadPool* step_pool_ = nullptr;  // the pool of step_
  Expressions expressions_;
  ExpressionBatch batch_;
  Shards* shards_ = nullptr;  // null: batches are not cut
  std::optional<ShardedLogicStep> sharded_step_;
  std::vector<Expressions> shard_expressions_;
};

}  // namespace linn
