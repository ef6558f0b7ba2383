#include "linn/recommend/baselines/query_network.h"

#include <cmath>

#include "linn/kernels/rows.h"
#include "linn/model/checkpoint.h"

namespace linn {
namespace {

constexpr const char* kNewcomerName = "newcomer";

// A model that does not read the history cannot use dislikes.
DislikeMode dislikes_of(const QueryDesign& design, const QueryModelOptions& options) {
  return design.make_encoder ? options.dislikes : DislikeMode::kNone;
}

}  // namespace

QueryNetwork::QueryNetwork(const QueryDesign& design, const QueryModelOptions& options, std::size_t users,
                           std::size_t items)
    : window_(options.window()),
      dropout_(options.dropout),
      vectors_(parameters_, dislikes_of(design, options), options.width),
      newcomer_(options.width, 0.0F) {
  const std::size_t width = options.width;
  tables_[QueryTable::kItems].emplace("items", items, width);
  if (design.item_biases) tables_[QueryTable::kItemBiases].emplace("item_biases", items, 1);
  if (design.user_vectors) tables_[QueryTable::kUsers].emplace("users", users, width);
  if (design.history_vectors) tables_[QueryTable::kHistory].emplace("history_items", items, width);
  if (vectors_.has_second_table()) tables_[QueryTable::kDisliked].emplace("disliked_items", items, width);
  if (design.make_encoder) encoder_ = design.make_encoder(parameters_);
}

void QueryNetwork::initialize(Random& random, float deviation) {
  for (auto& table : tables_) {
    if (table) table->initialize_normal(random, deviation);
  }
  if (auto& biases = tables_[QueryTable::kItemBiases]) std::ranges::fill(biases->values(), 0.0F);
  for (const ParameterInfo& info : parameters_.list()) {
    if (info.kind == ParameterKind::kBias) continue;
    const double root = std::sqrt(2.0 / static_cast<double>(info.rows + info.cols));
    for (float& value : parameters_.values().subspan(info.offset, info.size())) {
      value = static_cast<float>(root * random.normal());
    }
  }
}

QueryTable QueryNetwork::history_table() const {
  return tables_[QueryTable::kHistory] ? QueryTable::kHistory : QueryTable::kItems;
}

void QueryNetwork::score(const float* query, std::span<const ItemId> items, float* scores) const {
  const EmbeddingTable& vectors = *tables_[QueryTable::kItems];
  dot_rows(items.size(), vectors.width(), {query, 0}, {vectors.row(0), vectors.width(), items.data()}, scores);
  if (const auto& biases = tables_[QueryTable::kItemBiases]) {
    for (std::size_t i = 0; i < items.size(); ++i) scores[i] += *biases->row(items[i]);
  }
}

void QueryNetwork::add_tensors(SafetensorsWriter& out, const std::string& prefix) const {
  add_parameters(out, parameters_, prefix);
  for (const auto& table : tables_) {
    if (table) out.add(prefix + table->name(), {table->rows(), table->width()}, table->values());
  }
  out.add(prefix + kNewcomerName, {newcomer_.size()}, newcomer());
}

void QueryNetwork::read_tensors(const SafetensorsFile& in, const std::string& prefix) {
  read_parameters(in, parameters_, prefix);
  for (auto& table : tables_) {
    if (table) in.copy(prefix + table->name(), {table->rows(), table->width()}, table->values());
  }
  in.copy(prefix + kNewcomerName, {newcomer_.size()}, newcomer());
}

}  // namespace linn
