// From queries to their queries and back: a part of a batch, worked on by one thread.
//
//   pass.bind(queries);                     // cuts the windows; pass.for_each_row() names what will be read
//   q = pass.forward(&random);             // a row for each query
//   pass.backward(dq);                     // parameter_gradients(), and add_gradients() for the tables
//
// Memory grows to the largest part seen and stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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

  // Calls visit(table, row) for every row that forward looks up; a row may come several times.
  template <class Visit>
  void for_each_row(const Visit& visit) const {
    for (const std::uint32_t user : users_) visit(QueryTable::kUsers, user);
    for (const Event& event : events_) visit(table_of(event), event.item);
  }

  // Without a generator there is no dropout.
  ConstMatrixView forward(Random* random);

  // Adds the queries of those who are no newcomers, and returns how many they are.
  std::size_t add_known_queries(std::span<double> sum) const;

  // dq is overwritten. Gradients begin anew with each call.
  void backward(const MatrixView& dq);
  std::span<const float> parameter_gradients() { return parameters_.gradients(); }
  // Of what was looked up. They stay in the memory of the pass.
  void add_gradients(PerTable<RowGradients>& gradients) const;

 private:
  QueryTable table_of(const Event& event) const {
    return network_->history_vectors().in_second_table(event) ? QueryTable::kDisliked : network_->history_table();
  }
  void encode(Random* random);

  const QueryNetwork* network_;
  std::size_t width_;
  Dropout dropout_;

  // The batch.
  std::size_t queries_ = 0;
  std::vector<std::uint32_t> users_;            // known ones,
  std::vector<std::uint32_t> users_askers_;     // and which queries they are
  std::vector<std::uint32_t> newcomers_;        // queries without user and window
  std::vector<Event> window_events_;            // windows one after the other
  std::vector<std::uint32_t> window_lengths_;   // none of them 0
  std::vector<std::uint32_t> window_askers_;    // whose they are
  std::vector<std::uint32_t> sequence_askers_;  // the same in the order of the sequences
  std::vector<Event> events_;                   // packed
  SequenceBatch sequences_;

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
  // A copy of the network's, made by the first backward: layers add to the gradients of the set that they read.
  ParameterSet parameters_;
};

}  // namespace linn
