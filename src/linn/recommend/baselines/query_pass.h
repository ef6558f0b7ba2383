// Forward and backward pass from queries to their vectors, for the part of a batch that one thread works on.
//
//   pass.bind(queries);                            // cuts the windows; pass.for_each_row() visits the rows to be read
//   q = pass.forward(&random);                     // one row per query; after bind(stretches), one row per target
//   pass.backward(dq);
//   pass.add_gradients(parameters, tables);
//
// A pass does not modify the network, so any number of them can share it. Memory grows to the largest part so far; the
// gradients are allocated by the first backward().
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "linn/base/random.h"
#include "linn/layers/dropout.h"
#include "linn/layers/embedding_lookup.h"
#include "linn/layers/sequence_batch.h"
#include "linn/recommend/baselines/query_network.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

class QueryPass {
 public:
  // The network must outlive the pass.
  explicit QueryPass(const QueryNetwork& network);

  void bind(std::span<const Query> queries);
  // For training on whole histories: the queries are the targets, each with the events before it. Every stretch has a
  // target, and the model reads histories.
  void bind(std::span<const Stretch> stretches);
  // The items of the targets.
  std::span<const ItemId> targets() const { return targets_; }

  // Calls visit(table, row) for every row that forward looks up; a row may occur several times.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (const std::uint32_t user : users_) visit(QueryTable::kUsers, user);
    for (const Event& event : events_) visit(table_of(event), event.item);
  }

  // Without a generator there is no dropout.
  ConstMatrixView forward(Random* random);

  // Adds up the vectors of all queries except those of new users, and returns their number.
  std::size_t add_known_queries(std::span<double> sum) const;

  // Overwrites dq. Every call starts new gradients.
  void backward(const MatrixView& dq);
  // Adds the gradients of the parameters and of all rows that were looked up. The rows stay in the memory of the pass.
  void add_gradients(ParameterGradients& parameters, PerTable<RowGradients>& gradients) const;

 private:
  QueryTable table_of(const Event& event) const {
    return network_->history_vectors().in_second_table(event) ? QueryTable::kDisliked : network_->history_table();
  }
  void pack_windows();
  void encode(Random* random);

  const QueryNetwork* network_;
  std::size_t width_;
  Dropout dropout_;

  // The batch.
  std::size_t queries_ = 0;
  std::vector<std::uint32_t> users_;           // known users
  std::vector<std::uint32_t> user_queries_;    // their queries
  std::vector<std::uint32_t> newcomers_;       // queries without a known user and with an empty window
  std::vector<Event> window_events_;           // one window after the other
  std::vector<std::uint32_t> window_lengths_;  // none is 0
  std::vector<std::uint32_t> window_queries_;  // their queries
  std::vector<Event> events_;                  // packed
  SequenceBatch sequences_;
  SequenceElements ends_;                   // the last events of the queries
  std::vector<std::uint32_t> end_queries_;  // their queries
  std::vector<ItemId> targets_;

  // Values and gradients.
  Matrix q_;
  Matrix user_vectors_;  // or their gradients
  Matrix x_;
  Matrix dx_;
  Matrix encoded_;  // or their gradients
  HistoryVectors::Cache vectors_cache_;
  Dropout::Cache user_dropout_;
  Dropout::Cache history_dropout_;
  std::unique_ptr<SequenceEncoder::Memory> encoder_memory_;
  std::optional<ParameterGradients> gradients_;  // allocated by the first backward()
};

}  // namespace linn
