// The baselines that are learned by gradients (query_design.h) as ranking models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linn/base/context.h"
#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/baselines/query_pass.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

class QueryModel : public TrainableRankingModel {
 public:
  // All zeros, but for gains.
  QueryModel(const QueryDesign& design, const QueryModelOptions& options, std::size_t users, std::size_t items);

  void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each, std::span<float> scores,
             ThreadPool& threads) const override;
  void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const override;
  std::size_t items() const override { return network_.items(); }

  double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) override;
  void end_epoch(ThreadPool& threads) override;
  void swap_average(ThreadPool& threads) override;
  void add_values(SafetensorsWriter& out, const std::string& prefix) const override;
  void add_state(SafetensorsWriter& out, const std::string& prefix) override;
  void read_state(const SafetensorsFile& in, const std::string& prefix) override;

  // The two halves of train_step. Between them all gradients are complete, those of the parameters in one block and
  // those of the tables as rows.
  double compute(const RankingBatch& batch, Random& random, ThreadPool& threads);
  const ParameterGradients& parameter_gradients() const { return parameter_gradients_; }
  const PerTable<RowGradients>& table_gradients() const { return gradients_; }
  void update(ThreadPool& threads);

  QueryNetwork& network() { return network_; }
  const QueryNetwork& network() const { return network_; }

 private:
  // A part of a batch with all that belongs to it. Batches are cut by their size alone, and what the parts give is
  // added in their order, so that the number of threads changes no bit.
  struct Shard {
    explicit Shard(const QueryNetwork& network) : pass(network) {}

    QueryPass pass;
    std::span<const ItemId> items;
    Random random{0};
    AlignedArray<float> scores;
    AlignedArray<float> d_scores;
    Matrix dq;
    Matrix d_items;  // of each scored item's vector
    double loss = 0.0;
  };

  void cut(const RankingBatch& batch, Random& random);
  void catch_up(ThreadPool& threads);
  void run(Shard& shard, const RankingBatch& batch) const;
  void add_up(ThreadPool& threads);
  void score_rows(const float* query_row, std::span<const ItemId> items, float* scores) const;

  RankingLoss loss_;
  QueryNetwork network_;
  Optimizer optimizer_;
  std::optional<WeightAverage> average_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::size_t used_shards_ = 0;
  PerTable<std::vector<std::uint32_t>> rows_;      // that a batch reads
  PerTable<std::vector<std::uint32_t>> last_met_;  // the step in which a row was named last
  std::uint32_t step_ = 0;
  ParameterGradients parameter_gradients_;
  PerTable<RowGradients> gradients_;
  std::vector<SparseGradient> sparse_;  // the same for the tables that there are
  // Of the epoch so far: the sum of the queries, and behind it their number.
  std::vector<double> query_sum_;
};

}  // namespace linn
