#include "linn/recommend/baselines/query_model.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "linn/kernels/elementwise.h"
#include "linn/kernels/rows.h"
#include "linn/recommend/protocol/ranking_loss.h"

namespace linn {
namespace {

// A part of a batch is worth a thread, and its products have enough rows, from here on.
constexpr std::size_t kLeastGroups = 32;
constexpr std::size_t kMostShards = 8;
// Queries whose vectors are made together in scoring, and items that are scored together for one query.
constexpr std::size_t kQueriesAtOnce = 64;
constexpr std::size_t kItemsAtOnce = 4096;

std::vector<EmbeddingTable*> present(PerTable<std::optional<EmbeddingTable>>& tables) {
  std::vector<EmbeddingTable*> list;
  for (auto& table : tables) {
    if (table) list.push_back(&*table);
  }
  return list;
}

constexpr QueryTable table_number(std::size_t i) { return static_cast<QueryTable>(i); }

}  // namespace

QueryModel::QueryModel(const QueryDesign& design, const QueryModelOptions& options, std::size_t users,
                       std::size_t items)
    : loss_(options.loss),
      network_(design, options, users, items),
      optimizer_(options.optimizer, network_.parameters(), present(network_.tables())),
      parameter_gradients_(network_.parameters()),
      query_sum_(network_.width() + 1, 0.0) {
  if (options.average > 0.0) {
    average_.emplace(options.average, network_.parameters(), present(network_.tables()));
  }
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (const auto& table = network_.tables()[table_number(i)]) last_met_[table_number(i)].assign(table->rows(), 0);
  }
}

void QueryModel::score_rows(const float* query_row, std::span<const ItemId> items, float* scores) const {
  const EmbeddingTable& vectors = *network_.tables()[QueryTable::kItems];
  dot_rows(items.size(), vectors.width(), {query_row, 0}, {vectors.row(0), vectors.width(), items.data()}, scores);
  if (const auto& biases = network_.tables()[QueryTable::kItemBiases]) {
    for (std::size_t i = 0; i < items.size(); ++i) scores[i] += *biases->row(items[i]);
  }
}

void QueryModel::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                       std::span<float> scores, ThreadPool& threads) const {
  assert(items.size() == queries.size() * each && scores.size() == items.size());
  std::vector<QueryPass> passes;
  for (std::size_t i = 0; i < threads.threads(); ++i) passes.emplace_back(network_);
  threads.run((queries.size() + kQueriesAtOnce - 1) / kQueriesAtOnce, [&](std::size_t task, std::size_t thread) {
    const std::size_t begin = task * kQueriesAtOnce;
    const std::size_t count = std::min(kQueriesAtOnce, queries.size() - begin);
    passes[thread].bind(queries.subspan(begin, count));
    const ConstMatrixView query_rows = passes[thread].forward(nullptr);
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t first = (begin + i) * each;
      score_rows(query_rows.row(i), items.subspan(first, each), scores.data() + first);
    }
  });
}

void QueryModel::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  QueryPass pass(network_);
  pass.bind({&query, 1});
  const ConstMatrixView query_row = pass.forward(nullptr);
  threads.run((items() + kItemsAtOnce - 1) / kItemsAtOnce, [&](std::size_t task, std::size_t) {
    const std::size_t begin = task * kItemsAtOnce;
    std::vector<ItemId> block(std::min(kItemsAtOnce, items() - begin));
    std::iota(block.begin(), block.end(), static_cast<ItemId>(begin));
    score_rows(query_row.row(0), block, scores.data() + begin);
  });
}

double QueryModel::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  const double loss = compute(batch, random, threads);
  update(threads);
  return loss;
}

double QueryModel::compute(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  assert(batch.items.size() == batch.queries.size() * batch.group);
  cut(batch, random);
  catch_up(threads);
  threads.run(used_shards_, [&](std::size_t task, std::size_t) { run(*shards_[task], batch); });
  add_up(threads);
  double loss = 0.0;
  for (std::size_t i = 0; i < used_shards_; ++i) loss += shards_[i]->loss;
  return loss;
}

void QueryModel::cut(const RankingBatch& batch, Random& random) {
  const std::size_t groups = batch.queries.size();
  used_shards_ = std::clamp<std::size_t>(groups / kLeastGroups, 1, kMostShards);
  while (shards_.size() < used_shards_) shards_.push_back(std::make_unique<Shard>(network_));
  for (std::size_t i = 0; i < used_shards_; ++i) {
    const std::size_t begin = groups * i / used_shards_;
    const std::size_t count = groups * (i + 1) / used_shards_ - begin;
    Shard& shard = *shards_[i];
    shard.pass.bind(std::span(batch.queries).subspan(begin, count));
    shard.items = std::span(batch.items).subspan(begin * batch.group, count * batch.group);
    shard.random = Random(random.next());
  }
}

void QueryModel::catch_up(ThreadPool& threads) {
  ++step_;
  for (auto& rows : rows_) rows.clear();
  const auto name = [&](QueryTable table, std::uint32_t row) {
    std::uint32_t& last = last_met_[table][row];
    if (last == step_) return;
    last = step_;
    rows_[table].push_back(row);
  };
  const bool biases = network_.tables()[QueryTable::kItemBiases].has_value();
  for (std::size_t i = 0; i < used_shards_; ++i) {
    shards_[i]->pass.for_each_row(name);
    for (const ItemId item : shards_[i]->items) {
      name(QueryTable::kItems, item);
      if (biases) name(QueryTable::kItemBiases, item);
    }
  }
  std::size_t number = 0;
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (network_.tables()[table_number(i)]) optimizer_.catch_up(threads, number++, rows_[table_number(i)]);
  }
}

// With s_i = q·v_i + b_i for the items of a group: dq = Σ ds_i v_i, dv_i = ds_i q, db_i = ds_i.
void QueryModel::run(Shard& shard, const RankingBatch& batch) const {
  const std::size_t group = batch.group;
  const std::size_t width = network_.width();
  const ConstMatrixView query_rows = shard.pass.forward(&shard.random);
  shard.scores.reshape(shard.items.size());
  shard.d_scores.reshape(shard.items.size());
  for (std::size_t i = 0; i < query_rows.rows; ++i) {
    score_rows(query_rows.row(i), shard.items.subspan(i * group, group), shard.scores.data() + i * group);
  }
  shard.loss = ranking_loss({.loss = loss_, .bpr_on = BprOn::kScore, .label_noise = batch.label_noise},
                            shard.scores.span(), group, shard.d_scores.span());

  const EmbeddingTable& vectors = *network_.tables()[QueryTable::kItems];
  shard.dq.reshape(query_rows.rows, width);
  shard.dq.fill(0);
  shard.d_items.reshape(shard.items.size(), width);
  shard.d_items.fill(0);
  for (std::size_t i = 0; i < shard.items.size(); ++i) {
    axpy(width, shard.d_scores[i], vectors.row(shard.items[i]), shard.dq.row(i / group));
    axpy(width, shard.d_scores[i], query_rows.row(i / group), shard.d_items.row(i));
  }
  shard.pass.backward(shard.dq.view());
}

void QueryModel::add_up(ThreadPool& threads) {
  parameter_gradients_.clear();
  for (RowGradients& gradients : gradients_) gradients.clear();
  const std::span<double> sum = std::span(query_sum_).first(network_.width());
  for (std::size_t i = 0; i < used_shards_; ++i) {
    Shard& shard = *shards_[i];
    shard.pass.add_gradients(parameter_gradients_, gradients_);
    gradients_[QueryTable::kItems].add(shard.items, shard.d_items.view());
    if (network_.tables()[QueryTable::kItemBiases]) {
      gradients_[QueryTable::kItemBiases].add(shard.items, {shard.d_scores.data(), shard.items.size(), 1, 1});
    }
    query_sum_.back() += static_cast<double>(shard.pass.add_known_queries(sum));
  }
  threads.run(kQueryTables, [&](std::size_t task, std::size_t) { gradients_[table_number(task)].merge(); });
}

void QueryModel::update(ThreadPool& threads) {
  sparse_.clear();
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (!network_.tables()[table_number(i)]) continue;
    const RowGradients& gradients = gradients_[table_number(i)];
    sparse_.push_back({gradients.rows(), gradients.values().data});
  }
  optimizer_.step(threads, parameter_gradients_, sparse_);
}

void QueryModel::end_epoch(ThreadPool& threads) {
  optimizer_.flush(threads);
  if (query_sum_.back() > 0.0) {
    for (std::size_t j = 0; j < network_.width(); ++j) {
      network_.newcomer()[j] = static_cast<float>(query_sum_[j] / query_sum_.back());
    }
  }
  std::ranges::fill(query_sum_, 0.0);
  if (average_) average_->add_snapshot(threads);
}

void QueryModel::swap_average(ThreadPool& threads) {
  if (average_) average_->swap(threads);
}

}  // namespace linn
