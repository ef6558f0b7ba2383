#include "linn/recommend/baselines/query_training.h"

#include <algorithm>
#include <cassert>

#include "linn/kernels/elementwise.h"
#include "linn/model/checkpoint.h"
#include "linn/recommend/protocol/ranking_loss.h"

namespace linn {
namespace {

constexpr const char* kQuerySumName = "query_sum";

// With fewer groups than this, a shard is not worth a thread of its own.
constexpr std::size_t kMinGroups = 32;
constexpr std::size_t kMaxShards = 8;

std::vector<EmbeddingTable*> existing(PerTable<std::optional<EmbeddingTable>>& tables) {
  std::vector<EmbeddingTable*> list;
  for (auto& table : tables) {
    if (table) list.push_back(&*table);
  }
  return list;
}

constexpr QueryTable table_number(std::size_t i) { return static_cast<QueryTable>(i); }

}  // namespace

QueryTraining::QueryTraining(QueryNetwork& network, const QueryModelOptions& options)
    : network_(network),
      loss_(options.loss),
      optimizer_(options.optimizer, network.parameters(), existing(network.tables())),
      parameter_gradients_(network.parameters()),
      query_sum_(network.width() + 1, 0.0) {
  if (options.average > 0.0) average_.emplace(options.average, network.parameters(), existing(network.tables()));
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (const auto& table = network.tables()[table_number(i)]) last_read_[table_number(i)].assign(table->rows(), 0);
  }
}

double QueryTraining::compute(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  assert(batch.items.size() == batch.queries.size() * batch.group);
  cut(batch, random);
  catch_up(threads);
  threads.run(used_shards_, [&](std::size_t task, std::size_t) { run(*shards_[task], batch); });
  add_up(threads);
  double loss = 0.0;
  for (std::size_t i = 0; i < used_shards_; ++i) loss += shards_[i]->loss;
  return loss;
}

void QueryTraining::cut(const RankingBatch& batch, Random& random) {
  const std::size_t groups = batch.queries.size();
  used_shards_ = std::clamp<std::size_t>(groups / kMinGroups, 1, kMaxShards);
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

void QueryTraining::catch_up(ThreadPool& threads) {
  ++step_;
  for (auto& rows : rows_) rows.clear();
  const auto mark = [&](QueryTable table, std::uint32_t row) {
    std::uint32_t& last = last_read_[table][row];
    if (last == step_) return;
    last = step_;
    rows_[table].push_back(row);
  };
  const bool biases = network_.tables()[QueryTable::kItemBiases].has_value();
  for (std::size_t i = 0; i < used_shards_; ++i) {
    shards_[i]->pass.for_each_row(mark);
    for (const ItemId item : shards_[i]->items) {
      mark(QueryTable::kItems, item);
      if (biases) mark(QueryTable::kItemBiases, item);
    }
  }
  // The optimizer numbers the existing tables only.
  std::size_t number = 0;
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (network_.tables()[table_number(i)]) optimizer_.catch_up(threads, number++, rows_[table_number(i)]);
  }
}

// With s_i = q·v_i + b_i for the items of a group: dq = Σ ds_i v_i, dv_i = ds_i q, db_i = ds_i.
void QueryTraining::run(Shard& shard, const RankingBatch& batch) const {
  const std::size_t group = batch.group;
  const std::size_t width = network_.width();
  const ConstMatrixView query_rows = shard.pass.forward(&shard.random);
  shard.scores.reshape(shard.items.size());
  shard.d_scores.reshape(shard.items.size());
  for (std::size_t i = 0; i < query_rows.rows; ++i) {
    network_.score(query_rows.row(i), shard.items.subspan(i * group, group), shard.scores.data() + i * group);
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

void QueryTraining::add_up(ThreadPool& threads) {
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

void QueryTraining::update(ThreadPool& threads) {
  sparse_.clear();
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (!network_.tables()[table_number(i)]) continue;
    const RowGradients& gradients = gradients_[table_number(i)];
    sparse_.push_back({gradients.rows(), gradients.values().data});
  }
  optimizer_.step(threads, parameter_gradients_, sparse_);
}

void QueryTraining::end_epoch(ThreadPool& threads) {
  optimizer_.flush(threads);
  if (query_sum_.back() > 0.0) {
    for (std::size_t j = 0; j < network_.width(); ++j) {
      network_.newcomer()[j] = static_cast<float>(query_sum_[j] / query_sum_.back());
    }
  }
  std::ranges::fill(query_sum_, 0.0);
  if (average_) average_->add_snapshot(threads);
}

void QueryTraining::swap_average(ThreadPool& threads) {
  if (average_) average_->swap(threads);
}

void QueryTraining::add_state(SafetensorsWriter& out, const std::string& prefix) {
  add_optimizer(out, optimizer_, prefix);
  if (average_) add_average(out, *average_, prefix);
  out.add(prefix + kQuerySumName, {query_sum_.size()}, std::span(query_sum_));
}

void QueryTraining::read_state(const SafetensorsFile& in, const std::string& prefix) {
  read_optimizer(in, optimizer_, prefix);
  if (average_) read_average(in, *average_, prefix);
  in.copy(prefix + kQuerySumName, {query_sum_.size()}, std::span<double>(query_sum_));
}

}  // namespace linn
