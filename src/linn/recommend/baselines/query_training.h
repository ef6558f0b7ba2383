// Training of a query model: loss, gradients and updates. Everything that prediction does not need is here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/baselines/query_step.h"
#include "linn/train/shards.h"

namespace linn {

class QueryTraining {
 public:
  // The network must outlive it and stay at its address.
  QueryTraining(QueryNetwork& network, const QueryModelOptions& options);
  QueryTraining(const QueryTraining&) = delete;
  QueryTraining& operator=(const QueryTraining&) = delete;

  // Makes all steps in these shards, which must outlive it.
  void use_shards(Shards& shards);

  // The two halves of a step: compute() returns the loss, summed over the groups, and leaves the gradients of the
  // parameters in one block and those of the tables as rows.
  double compute(const RankingBatch& batch, Random& random, ThreadPool& threads);
  // The same for whole histories: returns the loss, summed over the targets; the gradients are those of its mean.
  double compute(const HistoryBatch& batch, Random& random, ThreadPool& threads);
  void update(ThreadPool& threads);
  const ParameterGradients& parameter_gradients() const;
  // Of the tables that exist.
  std::span<const SparseGradient> table_gradients() const { return gradients_; }

  // As for TrainableRankingModel. The state does not include the tensors of the network.
  void end_epoch(ThreadPool& threads);
  void swap_average(ThreadPool& threads);
  void add_state(SafetensorsWriter& out, const std::string& prefix);
  void read_state(const SafetensorsFile& in, const std::string& prefix);

 private:
  // A shard of this process.
  struct Part {
    std::unique_ptr<QueryStep> step;
    RankingBatch likes;  // or ...
    HistoryBatch histories;
    bool is_empty = true;
  };

  template <class Visit>
  void for_each_table(const Visit& visit) const;
  std::vector<SparseGradient> gradients_of(const QueryStep& step) const;
  void cut(const RankingBatch& batch, std::size_t shard, Part& part) const;
  void cut(const HistoryBatch& batch, std::size_t shard, Part& part) const;
  static double compute(Part& part, const RankingBatch& batch, ThreadPool& alone, std::span<double> query_sum);
  static double compute(Part& part, const HistoryBatch& batch, ThreadPool& alone, std::span<double> query_sum);
  template <class Batch>
  double compute_shards(const Batch& batch, Random& random);

  QueryNetwork& network_;
  RankingLoss loss_;
  Optimizer optimizer_;
  std::optional<WeightAverage> average_;
  QueryStep step_;  // of whole batches
  Shards* shards_ = nullptr;
  std::vector<Part> parts_;
  ParameterGradients sum_of_shards_;
  std::vector<SparseGradient> gradients_;
  std::vector<std::uint64_t> touched_;
  std::vector<std::uint32_t> rows_;
  std::vector<double> query_sum_;  // over the epoch so far: the sum of the query vectors, then their number
};

}  // namespace linn
