// The learned part of a query model (query_design.h): its tables, its parameters, and the query vector of a new user.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linn/base/random.h"
#include "linn/model/safetensors.h"
#include "linn/nn/embedding.h"
#include "linn/nn/parameters.h"
#include "linn/recommend/baselines/history_vectors.h"
#include "linn/recommend/baselines/query_design.h"

namespace linn {

// All except the items are optional.
enum class QueryTable : std::uint8_t { kItems, kItemBiases, kUsers, kHistory, kDisliked };
inline constexpr std::size_t kQueryTables = 5;

// One value per table.
template <class T>
class PerTable {
 public:
  T& operator[](QueryTable table) { return values_[static_cast<std::size_t>(table)]; }
  const T& operator[](QueryTable table) const { return values_[static_cast<std::size_t>(table)]; }
  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  std::array<T, kQueryTables> values_;
};

class QueryNetwork {
 public:
  // With zeros as values, and ones as the gains of layer norms.
  QueryNetwork(const QueryDesign& design, const QueryModelOptions& options, std::size_t users, std::size_t items);

  // Vectors from N(0, deviation); weights from N(0, 2 / (inputs + outputs)) (Glorot & Bengio, 2010), since sums of many
  // small products would vanish in deep models; biases 0, gains of layer norms 1.
  void initialize(Random& random, float deviation);

  std::size_t width() const { return tables_[QueryTable::kItems]->width(); }
  std::size_t items() const { return tables_[QueryTable::kItems]->rows(); }
  const HistoryWindow& window() const { return window_; }
  double dropout() const { return dropout_; }

  ParameterSet& parameters() { return parameters_; }
  const ParameterSet& parameters() const { return parameters_; }
  PerTable<std::optional<EmbeddingTable>>& tables() { return tables_; }
  const PerTable<std::optional<EmbeddingTable>>& tables() const { return tables_; }
  // The table in which the items of a history are looked up.
  QueryTable history_table() const;
  const HistoryVectors& history_vectors() const { return vectors_; }
  // Null if the model does not read the history.
  const SequenceEncoder* encoder() const { return encoder_.get(); }

  // The query vector of an unknown user without a history: the mean of all query vectors of the last epoch. Its scores
  // are the mean scores, so popular items rank first.
  std::span<float> newcomer() { return newcomer_; }
  std::span<const float> newcomer() const { return newcomer_; }

  // score = q · v_item + b_item for the query vector q, without the bias if the model has none.
  void score(const float* query, std::span<const ItemId> items, float* scores) const;

  // One tensor per parameter and table, by name, and `newcomer`, with `prefix` before the names. Reading throws
  // InputError if a tensor is missing or has another shape.
  void add_tensors(SafetensorsWriter& out, const std::string& prefix) const;
  void read_tensors(const SafetensorsFile& in, const std::string& prefix);

 private:
  HistoryWindow window_;
  double dropout_;
  ParameterSet parameters_;
  PerTable<std::optional<EmbeddingTable>> tables_;
  HistoryVectors vectors_;
  std::unique_ptr<SequenceEncoder> encoder_;
  std::vector<float> newcomer_;
};

}  // namespace linn
