// Query models (query_design.h) as recommenders.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "linn/base/context.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/baselines/query_training.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

class QueryModel : public TrainableRankingModel {
 public:
  // For training, with random initial values.
  QueryModel(const QueryDesign& design, const QueryModelOptions& options, const Histories& histories, Context& context);
  // Loaded, for prediction only: has no optimizer and no gradients, and training it throws Failure. Throws InputError
  // if a tensor is missing or has another shape.
  QueryModel(const QueryDesign& design, const QueryModelOptions& options, const SafetensorsFile& in,
             const Catalogue& catalogue, const std::string& prefix);
  QueryModel(const QueryModel&) = delete;
  QueryModel& operator=(const QueryModel&) = delete;

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return network_.items(); }
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;

  void use_shards(Shards& shards) override { training().use_shards(shards); }
  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  std::optional<HistoryWindow> training_window() const override;
  double train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override { training().end_epoch(threads); }
  void swap_average(ThreadPool& threads) override { training().swap_average(threads); }
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

  QueryNetwork& network() { return network_; }
  const QueryNetwork& network() const { return network_; }
  // Throws Failure for a loaded model.
  QueryTraining& training();

 private:
  QueryNetwork network_;
  TrainOn train_on_;
  std::unique_ptr<QueryTraining> training_;  // null if loaded
};

}  // namespace linn
