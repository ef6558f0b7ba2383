// LINN as a recommender: items are variables, a history and a candidate item form an expression, and the truth of the
// expression is the score of the item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/base/context.h"
#include "linn/nn/embedding.h"
#include "linn/nn/logic_network.h"
#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/recommend/linn/recommendation_expressions.h"
#include "linn/recommend/protocol/likes.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/train/logic_step.h"

namespace linn {

class LinnRecommender : public TrainableRankingModel, public Reasoning {
 public:
  // For training, with random initial values. Throws InputError for options that contradict each other.
  LinnRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context);

  // Loaded, for prediction only: has no optimizer and no gradients, and train_step() throws Failure. Throws InputError
  // if a tensor is missing or has another shape.
  LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
                  const std::string& prefix);

  ~LinnRecommender() override;

  // Scores are logits: the truth of an expression is sigmoid(score). Chains fold from the left, oldest event first,
  // without dropout. A query with an empty window and no user vector is scored by like_log_odds().
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return counts_.likes.size(); }

  // Keeps the projections of all items for AND: items x hidden width floats.
  void prepare_for_queries(ThreadPool& threads) override;

  const Reasoning* reasoning() const override { return this; }
  HistoryWindow window() const override { return options_.window(); }
  bool has_vector(std::optional<UserId> user) const override { return user && *user < users_; }
  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;
  const ItemCounts& counts() const override { return counts_; }
  const LogicNetwork& network() const override { return network_; }
  const EmbeddingTable& variables() const override { return variables_; }

  const LinnRecommenderOptions& options() const { return options_; }

  // Pretrains the modules, if the options say so.
  void start(Context& context) override;
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override;
  void swap_average(ThreadPool& threads) override;
  // The laws, if they have a weight, and the length term: unweighted sums over the vectors of all batches.
  Metrics epoch_metrics() const override;

  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

 private:
  struct Arguments;

  LinnRecommender(const LinnRecommenderOptions& options, std::size_t users, ItemCounts counts);
  LogicStep& step_on(ThreadPool& threads);
  Arguments find_arguments(std::span<const Query> queries, ThreadPool& threads) const;
  void add_vectors(SafetensorsWriter& out, const std::string& prefix) const;
  void read_vectors(const SafetensorsFile& in, const std::string& prefix);

  LinnRecommenderOptions options_;
  std::size_t users_;  // with a vector
  ItemCounts counts_;
  LogicNetwork network_;
  EmbeddingTable variables_;  // items, then users
  AlignedArray<float> projected_items_;

  // Training.
  std::unique_ptr<Optimizer> optimizer_;  // null if loaded
  std::optional<WeightAverage> average_;
  std::unique_ptr<LogicStep> step_;
  ThreadPool* step_pool_ = nullptr;  // the pool of step_
  RecommendationExpressions expressions_;
  std::vector<Event> window_events_;
  ExpressionBatch batch_;
  std::uint64_t epochs_[1] = {0};  // completed; an array because tensors are written from spans
  RegularizerValues sums_;         // over the epoch so far
  RegularizerValues last_sums_;    // over the last completed epoch
};

}  // namespace linn
