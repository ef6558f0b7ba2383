// Training of a query model: loss, gradients and updates. Everything that prediction does not need is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/baselines/query_pass.h"
#include "linn/recommend/protocol/catalogue_softmax.h"

namespace linn {

class QueryTraining {
 public:
  // The network must outlive it and stay at its address.
  QueryTraining(QueryNetwork& network, const QueryModelOptions& options);
  QueryTraining(const QueryTraining&) = delete;
  QueryTraining& operator=(const QueryTraining&) = delete;

  // The two halves of a step: compute() returns the loss, summed over the groups, and leaves the gradients of the
  // parameters in one block and those of the tables as rows.
  double compute(const RankingBatch& batch, Random& random, ThreadPool& threads);
  // The same for whole histories: returns the loss, summed over the targets; the gradients are those of its mean.
  double compute(const HistoryBatch& batch, Random& random, ThreadPool& threads);
  void update(ThreadPool& threads);
  const ParameterGradients& parameter_gradients() const { return parameter_gradients_; }
  const PerTable<RowGradients>& table_gradients() const { return gradients_; }

  // As for TrainableRankingModel. The state does not include the tensors of the network.
  void end_epoch(ThreadPool& threads);
  void swap_average(ThreadPool& threads);
  void add_state(SafetensorsWriter& out, const std::string& prefix);
  void read_state(const SafetensorsFile& in, const std::string& prefix);

 private:
  // A part of a batch with its working memory. The cut depends on the size of the batch only, and results are added in
  // the order of the shards, so that the number of threads changes no bit.
  struct Shard {
    explicit Shard(const QueryNetwork& network) : pass(network) {}

    QueryPass pass;
    std::span<const ItemId> items;  // single likes and their negatives
    Random random{0};
    AlignedArray<float> scores;
    AlignedArray<float> d_scores;
    Matrix dq;
    Matrix d_items;  // of the vector of each scored item
    double loss = 0.0;
  };

  // Calls bind(shard, begin, count) for every shard.
  template <class Bind>
  void cut(std::size_t size, std::size_t least, Random& random, const Bind& bind);
  void catch_up(ThreadPool& threads);
  void run(Shard& shard, const RankingBatch& batch) const;
  void choose_items(const HistoryBatch& batch);
  double choose_among_items(const HistoryBatch& batch, ThreadPool& threads);
  void add_up(ThreadPool& threads);

  QueryNetwork& network_;
  RankingLoss loss_;
  Optimizer optimizer_;
  std::optional<WeightAverage> average_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::size_t used_shards_ = 0;
  PerTable<std::vector<std::uint32_t>> rows_;       // rows that the batch reads
  PerTable<std::vector<std::uint32_t>> last_read_;  // by row: the last step that read it
  std::uint32_t step_ = 0;
  ParameterGradients parameter_gradients_;
  PerTable<RowGradients> gradients_;
  std::vector<SparseGradient> sparse_;  // gradients_ of the existing tables
  // Of whole histories.
  CatalogueSoftmax softmax_;
  std::vector<ItemId> choices_;         // the items to choose among: all, or the distinct targets and negatives
  std::vector<std::uint32_t> slots_;    // by item: its place among the choices
  std::vector<std::uint32_t> targets_;  // places among the choices
  std::vector<std::uint32_t> negatives_;
  Matrix queries_;  // one row per target
  Matrix dqueries_;
  Matrix keys_;  // one row per choice, unless all items are
  Matrix dkeys_;
  Matrix biases_;
  Matrix dbiases_;
  std::vector<double> query_sum_;  // over the epoch so far: the sum of the query vectors, then their number
};

}  // namespace linn
