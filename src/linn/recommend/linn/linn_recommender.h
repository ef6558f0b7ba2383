// LINN as a recommender: items are the variables, a history with an item is an expression, and an item is as good as
// its expression is true.
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
#include "linn/recommend/linn/recommendation_expressions.h"
#include "linn/recommend/protocol/item_counts.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/linn/linn_recommender_options.h"
#include "linn/train/logic_step.h"

namespace linn {

class LinnRecommender : public TrainableRankingModel, public Reasoning {
 public:
  // For training, with initial values. Throws InputError where options do not go together.
  LinnRecommender(const LinnRecommenderOptions& options, const Histories& histories, Context& context);

  // For asking.
  LinnRecommender(const LinnRecommenderOptions& options, const SafetensorsFile& in, const Catalogue& catalogue,
                  const std::string& prefix);

  ~LinnRecommender() override;

  // Scores are those before the sigmoid: the truth of the expression is sigmoid(score). Chains fold from the left,
  // oldest first, without dropout. A query without a history and without a vector of the user gets the log-odds of
  // an item among all users of the training.
  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return counts_.likes.size(); }

  // Projects all items for AND: items x hidden width floats.
  void expect_requests(ThreadPool& threads) override;

  const Reasoning* reasoning() const override { return this; }
  HistoryWindow window() const override { return options_.window(); }
  bool knows(std::optional<UserId> user) const override { return user && *user < users_; }
  std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                   ThreadPool& threads) const override;
  const ItemCounts& counts() const override { return counts_; }
  const LogicNetwork& network() const override { return network_; }
  const EmbeddingTable& variables() const override { return variables_; }

  const LinnRecommenderOptions& options() const { return options_; }

  // Modules learn the laws alone first, if asked for.
  void start(Context& context) override;
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override;
  void swap_average(ThreadPool& threads) override;
  // The laws that were computed and the length, summed over the vectors of all batches, without their weights.
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
  std::size_t users_;  // that have a vector
  ItemCounts counts_;
  LogicNetwork network_;
  EmbeddingTable variables_;  // items, then users
  AlignedArray<float> projected_items_;

  // Training.
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<WeightAverage> average_;
  std::unique_ptr<LogicStep> step_;
  ThreadPool* step_pool_ = nullptr;  // that step_ works on
  RecommendationExpressions expressions_;
  std::vector<Event> window_events_;
  ExpressionBatch batch_;
  std::uint64_t epochs_[1] = {0};  // done; an array, so that it can be shown as a span
  RegularizerValues sums_;         // of the epoch so far
  RegularizerValues last_sums_;    // of the epoch that ended last
};

}  // namespace linn
