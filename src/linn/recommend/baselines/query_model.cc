#include "linn/recommend/baselines/query_model.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <vector>

#include "linn/base/error.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {
namespace {

// Queries that are encoded together, and items that are scored together for one query.
constexpr std::size_t kQueryBlock = 64;
constexpr std::size_t kItemBlock = 4096;

}  // namespace

QueryModel::QueryModel(const QueryDesign& design, const QueryModelOptions& options, const Histories& histories,
                       Context& context)
    : network_(design, options, histories.users(), histories.items()),
      train_on_(options.train_on),
      training_(std::make_unique<QueryTraining>(network_, options)) {
  Random random = context.random(kInitialValueStream);
  network_.initialize(random, options.init);
}

QueryModel::QueryModel(const QueryDesign& design, const QueryModelOptions& options, const SafetensorsFile& in,
                       const Catalogue& catalogue, const std::string& prefix)
    : network_(design, options, catalogue.users.size(), catalogue.items.size()), train_on_(options.train_on) {
  network_.read_tensors(in, prefix);
}

void QueryModel::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                       std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  std::vector<QueryPass> passes;
  for (std::size_t i = 0; i < threads.threads(); ++i) passes.emplace_back(network_);
  threads.run((queries.size() + kQueryBlock - 1) / kQueryBlock, [&](std::size_t task, std::size_t thread) {
    const std::size_t begin = task * kQueryBlock;
    const std::size_t count = std::min(kQueryBlock, queries.size() - begin);
    passes[thread].bind(queries.subspan(begin, count));
    const ConstMatrixView query_rows = passes[thread].forward(nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = (begin + i) * each;
      network_.score(query_rows.row(i), items.subspan(first, each), scores.data() + first);
    }
  });
}

void QueryModel::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  QueryPass pass(network_);
  pass.bind({&query, 1});
  const ConstMatrixView query_row = pass.forward(nullptr);
  threads.run((items() + kItemBlock - 1) / kItemBlock, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kItemBlock;
    std::vector<ItemId> block(std::min(kItemBlock, items() - begin));
    std::iota(block.begin(), block.end(), static_cast<ItemId>(begin));
    network_.score(query_row.row(0), block, scores.data() + begin);
  });
}

void QueryModel::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  network_.add_tensors(out, prefix);
}

QueryTraining& QueryModel::training() {
  if (!training_) throw Failure("a model that was loaded for prediction cannot be trained");
  return *training_;
}

double QueryModel::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  const double loss = training().compute(batch, random, threads);
  training().update(threads);
  return loss;
}

std::optional<HistoryWindow> QueryModel::training_window() const {
  if (train_on_ == TrainOn::kLikes) return std::nullopt;
  return network_.window();
}

double QueryModel::train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  const double loss = training().compute(batch, random, threads);
  training().update(threads);
  return loss;
}

void QueryModel::add_state(SafetensorsWriter& out, const std::string& prefix) {
  network_.add_tensors(out, prefix);
  training().add_state(out, prefix);
}

void QueryModel::read_state(const SafetensorsFile& in, const std::string& prefix) {
  network_.read_tensors(in, prefix);
  training().read_state(in, prefix);
}

}  // namespace linn
