#include "linn/recommend/baselines/query_training.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "linn/kernels/elementwise.h"
#include "linn/model/checkpoint.h"
#include "linn/recommend/protocol/ranking_loss.h"

namespace linn {
namespace {

constexpr const char* kQuerySumName = "query_sum";

// With fewer groups or stretches than this, a shard is not worth a thread of its own.
constexpr std::size_t kMinGroups = 32;
constexpr std::size_t kMinStretches = 4;
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
      softmax_(network.width()),
      query_sum_(network.width() + 1, 0.0) {
  if (options.average > 0.0) average_.emplace(options.average, network.parameters(), existing(network.tables()));
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (const auto& table = network.tables()[table_number(i)]) last_read_[table_number(i)].assign(table->rows(), 0);
  }
}

double QueryTraining::compute(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  assert(batch.items.size() == batch.queries.size() * batch.group);
  cut(batch.queries.size(), kMinGroups, random, [&](Shard& shard, std::size_t begin, std::size_t count) {
    shard.pass.bind(std::span(batch.queries).subspan(begin, count));
    shard.items = std::span(batch.items).subspan(begin * batch.group, count * batch.group);
  });
  choices_.clear();
  catch_up(threads);
  threads.run(used_shards_, [&](std::size_t task, std::size_t) { run(*shards_[task], batch); });
  add_up(threads);
  double loss = 0.0;
  for (std::size_t i = 0; i < used_shards_; ++i) loss += shards_[i]->loss;
  return loss;
}

double QueryTraining::compute(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  cut(batch.stretches.size(), kMinStretches, random, [&](Shard& shard, std::size_t begin, std::size_t count) {
    shard.pass.bind(std::span(batch.stretches).subspan(begin, count));
    shard.items = {};
  });
  choose_items(batch);
  catch_up(threads);

  std::array<std::size_t, kMaxShards + 1> begin{};  // of the targets of each shard
  for (std::size_t i = 0; i < used_shards_; ++i) begin[i + 1] = begin[i] + shards_[i]->pass.targets().size();
  queries_.reshape(targets_.size(), network_.width());
  dqueries_.reshape(targets_.size(), network_.width());
  threads.run(used_shards_, [&](std::size_t task, std::size_t) {
    Shard& shard = *shards_[task];
    copy_matrix(shard.pass.forward(&shard.random),
                row_range(queries_.view(), begin[task], begin[task + 1] - begin[task]));
  });
  const double loss = choose_among_items(batch, threads);
  threads.run(used_shards_, [&](std::size_t task, std::size_t) {
    shards_[task]->pass.backward(row_range(dqueries_.view(), begin[task], begin[task + 1] - begin[task]));
  });
  add_up(threads);
  return loss;
}

template <class Bind>
void QueryTraining::cut(std::size_t size, std::size_t least, Random& random, const Bind& bind) {
  used_shards_ = std::clamp<std::size_t>(size / least, 1, kMaxShards);
  while (shards_.size() < used_shards_) shards_.push_back(std::make_unique<Shard>(network_));
  for (std::size_t i = 0; i < used_shards_; ++i) {
    const std::size_t begin = size * i / used_shards_;
    bind(*shards_[i], begin, size * (i + 1) / used_shards_ - begin);
    shards_[i]->random = Random(random.next());
  }
}

void QueryTraining::choose_items(const HistoryBatch& batch) {
  constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  const std::size_t items = network_.items();
  targets_.clear();
  negatives_.clear();
  for (std::size_t i = 0; i < used_shards_; ++i) {
    const auto own = shards_[i]->pass.targets();
    targets_.insert(targets_.end(), own.begin(), own.end());
  }
  if (batch.negatives.empty()) {
    choices_.resize(items);
    std::iota(choices_.begin(), choices_.end(), 0U);
    return;
  }
  slots_.assign(items, kNowhere);
  choices_.clear();
  const auto slot_of = [&](ItemId item) {
    if (slots_[item] == kNowhere) {
      slots_[item] = static_cast<std::uint32_t>(choices_.size());
      choices_.push_back(item);
    }
    return slots_[item];
  };
  for (std::uint32_t& target : targets_) target = slot_of(target);
  for (const ItemId item : batch.negatives) negatives_.push_back(slot_of(item));
}

// Writes the gradients of the queries and of the choices.
double QueryTraining::choose_among_items(const HistoryBatch& batch, ThreadPool& threads) {
  const EmbeddingTable& vectors = *network_.tables()[QueryTable::kItems];
  const auto& biases = network_.tables()[QueryTable::kItemBiases];
  const std::size_t width = network_.width();
  const ChoiceTargets targets = {targets_.size(), queries_.data(), targets_.data()};
  const float scale = 1.0F / static_cast<float>(targets_.size());
  dkeys_.reshape(choices_.size(), width);
  if (biases) dbiases_.reshape(choices_.size(), 1);
  const ChoiceGradients gradients = {dqueries_.data(), dkeys_.data(), biases ? dbiases_.data() : nullptr};
  if (batch.negatives.empty()) {
    const ChoiceItems items = {choices_.size(), vectors.values().data(), biases ? biases->values().data() : nullptr};
    return softmax_.run(items, targets, batch.label_noise, scale, gradients, threads);
  }
  keys_.reshape(choices_.size(), width);
  gather_rows({vectors.values().data(), vectors.rows(), width, width}, choices_, keys_.view());
  if (biases) {
    biases_.reshape(choices_.size(), 1);
    gather_rows({biases->values().data(), biases->rows(), 1, 1}, choices_, biases_.view());
  }
  const ChoiceItems items = {choices_.size(), keys_.data(), biases ? biases_.data() : nullptr};
  const ChoiceDraws draws = {negatives_.size(), negatives_.data(), batch.negative_log_counts.data(), network_.items()};
  return softmax_.run_sampled(items, draws, targets, batch.label_noise, scale, gradients, threads);
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
  const auto mark_item = [&](ItemId item) {
    mark(QueryTable::kItems, item);
    if (biases) mark(QueryTable::kItemBiases, item);
  };
  for (std::size_t i = 0; i < used_shards_; ++i) {
    shards_[i]->pass.for_each_row(mark);
    for (const ItemId item : shards_[i]->items) mark_item(item);
  }
  for (const ItemId item : choices_) mark_item(item);
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
  const bool biases = network_.tables()[QueryTable::kItemBiases].has_value();
  const std::span<double> sum = std::span(query_sum_).first(network_.width());
  for (std::size_t i = 0; i < used_shards_; ++i) {
    Shard& shard = *shards_[i];
    shard.pass.add_gradients(parameter_gradients_, gradients_);
    if (!shard.items.empty()) {
      gradients_[QueryTable::kItems].add(shard.items, shard.d_items.view());
      if (biases) {
        gradients_[QueryTable::kItemBiases].add(shard.items, {shard.d_scores.data(), shard.items.size(), 1, 1});
      }
    }
    query_sum_.back() += static_cast<double>(shard.pass.add_known_queries(sum));
  }
  if (!choices_.empty()) {
    gradients_[QueryTable::kItems].add(choices_, dkeys_.view());
    if (biases) gradients_[QueryTable::kItemBiases].add(choices_, dbiases_.view());
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
