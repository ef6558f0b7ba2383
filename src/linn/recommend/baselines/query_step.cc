#include "linn/recommend/baselines/query_step.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <numeric>

#include "linn/kernels/elementwise.h"
#include "linn/recommend/protocol/ranking_loss.h"

namespace linn {
namespace {

// With fewer groups or stretches than this, a part is not worth a thread of its own.
constexpr std::size_t kMinGroups = 32;
constexpr std::size_t kMinStretches = 4;
constexpr std::size_t kMaxParts = 8;

constexpr QueryTable table_number(std::size_t i) { return static_cast<QueryTable>(i); }

}  // namespace

QueryStep::QueryStep(const QueryNetwork& network, RankingLoss loss, std::size_t lanes)
    : network_(network),
      loss_(loss),
      lanes_(std::min(lanes, kMaxParts)),
      parameter_gradients_(network.parameters()),
      softmax_(network.width()) {
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (const auto& table = network.tables()[table_number(i)]) last_read_[table_number(i)].assign(table->rows(), 0);
  }
}

void QueryStep::bind(const RankingBatch& batch, Random& random) {
  assert(batch.items.size() == batch.queries.size() * batch.group);
  cut(batch.queries.size(), kMinGroups, random, [&](Part& part, std::size_t begin, std::size_t count) {
    part.pass.bind(std::span(batch.queries).subspan(begin, count));
    part.items = std::span(batch.items).subspan(begin * batch.group, count * batch.group);
  });
  choices_.clear();
  find_rows();
}

void QueryStep::bind(const HistoryBatch& batch, Random& random) {
  cut(batch.stretches.size(), kMinStretches, random, [&](Part& part, std::size_t begin, std::size_t count) {
    part.pass.bind(std::span(batch.stretches).subspan(begin, count));
    part.items = {};
  });
  choose_items(batch);
  find_rows();
}

double QueryStep::compute(const RankingBatch& batch, ThreadPool& threads, std::span<double> query_sum) {
  threads.run(used_parts_, [&](std::size_t task, std::size_t) { run(*parts_[task], batch); });
  add_up(threads, query_sum);
  double loss = 0.0;
  for (std::size_t i = 0; i < used_parts_; ++i) loss += parts_[i]->loss;
  return loss;
}

double QueryStep::compute(const HistoryBatch& batch, std::size_t all_targets, ThreadPool& threads,
                          std::span<double> query_sum) {
  std::array<std::size_t, kMaxParts + 1> begin{};  // of the targets of each part
  for (std::size_t i = 0; i < used_parts_; ++i) begin[i + 1] = begin[i] + parts_[i]->pass.targets().size();
  queries_.reshape(targets_.size(), network_.width());
  dqueries_.reshape(targets_.size(), network_.width());
  threads.run(used_parts_, [&](std::size_t task, std::size_t) {
    Part& part = *parts_[task];
    copy_matrix(part.pass.forward(&part.random),
                row_range(queries_.view(), begin[task], begin[task + 1] - begin[task]));
  });
  const double loss = choose_among_items(batch, all_targets, threads);
  threads.run(used_parts_, [&](std::size_t task, std::size_t) {
    parts_[task]->pass.backward(row_range(dqueries_.view(), begin[task], begin[task + 1] - begin[task]));
  });
  add_up(threads, query_sum);
  return loss;
}

template <class Bind>
void QueryStep::cut(std::size_t size, std::size_t least, Random& random, const Bind& bind) {
  used_parts_ = std::clamp<std::size_t>(size / least, 1, lanes_);
  while (parts_.size() < used_parts_) parts_.push_back(std::make_unique<Part>(network_));
  for (std::size_t i = 0; i < used_parts_; ++i) {
    const std::size_t begin = size * i / used_parts_;
    bind(*parts_[i], begin, size * (i + 1) / used_parts_ - begin);
    parts_[i]->random = Random(random.next());
  }
}

void QueryStep::choose_items(const HistoryBatch& batch) {
  constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  const std::size_t items = network_.items();
  targets_.clear();
  negatives_.clear();
  for (std::size_t i = 0; i < used_parts_; ++i) {
    const auto own = parts_[i]->pass.targets();
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
double QueryStep::choose_among_items(const HistoryBatch& batch, std::size_t all_targets, ThreadPool& threads) {
  const EmbeddingTable& vectors = *network_.tables()[QueryTable::kItems];
  const auto& biases = network_.tables()[QueryTable::kItemBiases];
  const std::size_t width = network_.width();
  const ChoiceTargets targets = {targets_.size(), queries_.data(), targets_.data()};
  const float scale = 1.0F / static_cast<float>(all_targets);
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

void QueryStep::find_rows() {
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
  for (std::size_t i = 0; i < used_parts_; ++i) {
    parts_[i]->pass.for_each_row(mark);
    for (const ItemId item : parts_[i]->items) mark_item(item);
  }
  for (const ItemId item : choices_) mark_item(item);
}

// With s_i = q·v_i + b_i for the items of a group: dq = Σ ds_i v_i, dv_i = ds_i q, db_i = ds_i.
void QueryStep::run(Part& part, const RankingBatch& batch) const {
  const std::size_t group = batch.group;
  const std::size_t width = network_.width();
  const ConstMatrixView query_rows = part.pass.forward(&part.random);
  part.scores.reshape(part.items.size());
  part.d_scores.reshape(part.items.size());
  for (std::size_t i = 0; i < query_rows.rows; ++i) {
    network_.score(query_rows.row(i), part.items.subspan(i * group, group), part.scores.data() + i * group);
  }
  part.loss = ranking_loss({.loss = loss_, .bpr_on = BprOn::kScore, .label_noise = batch.label_noise},
                           part.scores.span(), group, part.d_scores.span());

  const EmbeddingTable& vectors = *network_.tables()[QueryTable::kItems];
  part.dq.reshape(query_rows.rows, width);
  part.dq.fill(0);
  part.d_items.reshape(part.items.size(), width);
  part.d_items.fill(0);
  for (std::size_t i = 0; i < part.items.size(); ++i) {
    axpy(width, part.d_scores[i], vectors.row(part.items[i]), part.dq.row(i / group));
    axpy(width, part.d_scores[i], query_rows.row(i / group), part.d_items.row(i));
  }
  part.pass.backward(part.dq.view());
}

void QueryStep::add_up(ThreadPool& threads, std::span<double> query_sum) {
  parameter_gradients_.clear();
  for (RowGradients& gradients : gradients_) gradients.clear();
  const bool biases = network_.tables()[QueryTable::kItemBiases].has_value();
  const std::span<double> sum = query_sum.first(network_.width());
  for (std::size_t i = 0; i < used_parts_; ++i) {
    Part& part = *parts_[i];
    part.pass.add_gradients(parameter_gradients_, gradients_);
    if (!part.items.empty()) {
      gradients_[QueryTable::kItems].add(part.items, part.d_items.view());
      if (biases) {
        gradients_[QueryTable::kItemBiases].add(part.items, {part.d_scores.data(), part.items.size(), 1, 1});
      }
    }
    query_sum.back() += static_cast<double>(part.pass.add_known_queries(sum));
  }
  if (!choices_.empty()) {
    gradients_[QueryTable::kItems].add(choices_, dkeys_.view());
    if (biases) gradients_[QueryTable::kItemBiases].add(choices_, dbiases_.view());
  }
  threads.run(kQueryTables, [&](std::size_t task, std::size_t) { gradients_[table_number(task)].merge(); });
}

}  // namespace linn
