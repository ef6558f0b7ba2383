// The gradients of a step of a query model (query_design.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "linn/base/aligned.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/baselines/query_pass.h"
#include "linn/recommend/protocol/catalogue_softmax.h"

namespace linn {

class QueryStep {
 public:
  // The network must outlive it and stay at its address. `lanes`: into how many parts a batch is cut at most.
  QueryStep(const QueryNetwork& network, RankingLoss loss, std::size_t lanes);
  QueryStep(const QueryStep&) = delete;
  QueryStep& operator=(const QueryStep&) = delete;

  // The first half: finds the rows that the batch reads, which must be up to date before the second half.
  void bind(const RankingBatch& batch, Random& random);
  void bind(const HistoryBatch& batch, Random& random);
  const PerTable<std::vector<std::uint32_t>>& rows() const { return rows_; }
  // Of a batch of whole histories.
  std::size_t targets() const { return targets_.size(); }

  // The second half, for the same batch: leaves the gradients of the parameters in one block and those of the tables as
  // rows, and returns the loss, summed over the groups. Adds the query vectors of known users to `query_sum`, and their
  // number to its last element.
  double compute(const RankingBatch& batch, ThreadPool& threads, std::span<double> query_sum);
  // The same for whole histories: returns the loss, summed over the targets; the gradients are those of the sum over
  // `all_targets`, of which the batch may have only some, divided by their number.
  double compute(const HistoryBatch& batch, std::size_t all_targets, ThreadPool& threads, std::span<double> query_sum);
  const ParameterGradients& parameter_gradients() const { return parameter_gradients_; }
  const PerTable<RowGradients>& table_gradients() const { return gradients_; }

 private:
  // A part of a batch with its working memory. The cut depends on the size of the batch only, and results are added in
  // the order of the parts, so that the number of threads changes no bit.
  struct Part {
    explicit Part(const QueryNetwork& network) : pass(network) {}

    QueryPass pass;
    std::span<const ItemId> items;  // single likes and their negatives
    Random random{0};
    AlignedArray<float> scores;
    AlignedArray<float> d_scores;
    Matrix dq;
    Matrix d_items;  // of the vector of each scored item
    double loss = 0.0;
  };

  // Calls bind(part, begin, count) for every part.
  template <class Bind>
  void cut(std::size_t size, std::size_t least, Random& random, const Bind& bind);
  void find_rows();
  void run(Part& part, const RankingBatch& batch) const;
  void choose_items(const HistoryBatch& batch);
  double choose_among_items(const HistoryBatch& batch, std::size_t all_targets, ThreadPool& threads);
  void add_up(ThreadPool& threads, std::span<double> query_sum);

  const QueryNetwork& network_;
  RankingLoss loss_;
  std::size_t lanes_;
  std::vector<std::unique_ptr<Part>> parts_;
  std::size_t used_parts_ = 0;
  PerTable<std::vector<std::uint32_t>> rows_;       // rows that the batch reads
  PerTable<std::vector<std::uint32_t>> last_read_;  // by row: the last step that read it
  std::uint32_t step_ = 0;
  ParameterGradients parameter_gradients_;
  PerTable<RowGradients> gradients_;
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
};

}  // namespace linn
