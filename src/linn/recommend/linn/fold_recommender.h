// LINN that folds whole histories: the state of a history is OR over its events, oldest first, and the score of an item
// is the truth of AND(state, item). See fold_step.h.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/nn/pair_truth.h"
#include "linn/recommend/linn/fold_step.h"
#include "linn/recommend/linn/linn_model.h"
#include "linn/recommend/linn/sharded_fold_step.h"

namespace linn {

// Throws InputError for options with which no history can be folded.
void check_fold(const LinnRecommenderOptions& options);

class FoldRecommender : public LinnModel {
 public:
  // For training, with random initial values.
  FoldRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context);
  // Loaded, for prediction only. Throws InputError if a tensor is missing or has another shape.
  FoldRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
                  const std::string& prefix);

  // A query with an empty window and no user vector is scored by like_log_odds().
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  void score_all_of(std::span<const Query> queries, std::span<float> scores, ThreadPool& threads) const override;
  // An event is read as a history of its own: Sim(OR(F, h) and t, T).
  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;
  std::optional<ScoreShares> score_shares(const Query& query, std::span<const ItemId> targets,
                                          ThreadPool& threads) const override;
  // Keeps the keys of all items: items x (width + hidden units of AND) floats.
  void prepare_for_queries(ThreadPool& threads) override;

  std::optional<HistoryWindow> training_window() const override { return window(); }
  void use_shards(Shards& shards) override;
  double train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) override;

 protected:
  void values_changed() override;
  StepReport finish_steps() override { return step_ ? step_->finish() : StepReport(); }

 private:
  // Scores `each` items per query: those in `items`, or the first ones if it is null.
  void score_items(std::span<const Query> queries, const ItemId* items, std::size_t each, float* scores,
                   ThreadPool& threads) const;
  // The literals of a user's vector, if any, and of the events in the window.
  std::vector<Literal> literals_of(const Query& query) const;
  // The states of the expressions as queries.
  PairQueries state_queries(const ExpressionBatch& batch, ThreadPool& threads) const;
  PairKeys keys_of(std::span<const ItemId> items, ThreadPool& threads) const;

  PairTruth truth_;
  PairKeys item_keys_;  // empty: not kept

  // Training.
  std::unique_ptr<FoldStep> step_;
  ThreadPool* step_pool_ = nullptr;                // the pool of step_
  std::unique_ptr<ShardedFoldStep> sharded_step_;  // null: batches are not cut
};

}  // namespace linn
