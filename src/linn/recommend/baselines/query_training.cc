#include "linn/recommend/baselines/query_training.h"

#include <algorithm>

#include "linn/model/checkpoint.h"

namespace linn {
namespace {

constexpr const char* kQuerySumName = "query_sum";

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
      step_(network, options.loss, ~std::size_t{0}),
      sum_of_shards_(network.parameters()),
      query_sum_(network.width() + 1, 0.0) {
  if (options.average > 0.0) average_.emplace(options.average, network.parameters(), existing(network.tables()));
}

void QueryTraining::use_shards(Shards& shards) {
  shards_ = &shards;
  parts_.resize(shards.own().size());
  for (Part& part : parts_) part.step = std::make_unique<QueryStep>(network_, loss_, 1);
}

const ParameterGradients& QueryTraining::parameter_gradients() const {
  return shards_ == nullptr ? step_.parameter_gradients() : sum_of_shards_;
}

// The optimizer numbers the existing tables only.
template <class Visit>
void QueryTraining::for_each_table(const Visit& visit) const {
  std::size_t number = 0;
  for (std::size_t i = 0; i < kQueryTables; ++i) {
    if (network_.tables()[table_number(i)]) visit(number++, table_number(i));
  }
}

std::vector<SparseGradient> QueryTraining::gradients_of(const QueryStep& step) const {
  std::vector<SparseGradient> gradients;
  for_each_table([&](std::size_t, QueryTable table) {
    const RowGradients& rows = step.table_gradients()[table];
    gradients.push_back({rows.rows(), rows.values().data});
  });
  return gradients;
}

double QueryTraining::compute(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  if (shards_ != nullptr) return compute_shards(batch, random);
  step_.bind(batch, random);
  for_each_table(
      [&](std::size_t number, QueryTable table) { optimizer_.catch_up(threads, number, step_.rows()[table]); });
  const double loss = step_.compute(batch, threads, query_sum_);
  gradients_ = gradients_of(step_);
  return loss;
}

double QueryTraining::compute(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  if (shards_ != nullptr) return compute_shards(batch, random);
  step_.bind(batch, random);
  for_each_table(
      [&](std::size_t number, QueryTable table) { optimizer_.catch_up(threads, number, step_.rows()[table]); });
  const double loss = step_.compute(batch, step_.targets(), threads, query_sum_);
  gradients_ = gradients_of(step_);
  return loss;
}

// A part of a batch, and what its gradients depend on besides.

void QueryTraining::cut(const RankingBatch& batch, std::size_t shard, Part& part) const {
  const RowRange groups = shards_->part(batch.queries.size(), shard);
  const auto queries = std::span(batch.queries).subspan(groups.begin, groups.size());
  const auto items = std::span(batch.items).subspan(groups.begin * batch.group, groups.size() * batch.group);
  part.likes.queries.assign(queries.begin(), queries.end());
  part.likes.items.assign(items.begin(), items.end());
  part.likes.group = batch.group;
  part.likes.label_noise = batch.label_noise;
  part.is_empty = queries.empty();
}

void QueryTraining::cut(const HistoryBatch& batch, std::size_t shard, Part& part) const {
  const auto stretches = shards_->part(std::span(batch.stretches), shard);
  part.histories.stretches.assign(stretches.begin(), stretches.end());
  part.histories.negatives = batch.negatives;
  part.histories.negative_log_counts = batch.negative_log_counts;
  part.histories.label_noise = batch.label_noise;
  part.is_empty = stretches.empty();
}

double QueryTraining::compute(Part& part, const RankingBatch&, ThreadPool& alone, std::span<double> query_sum) {
  return part.step->compute(part.likes, alone, query_sum);
}

double QueryTraining::compute(Part& part, const HistoryBatch& batch, ThreadPool& alone, std::span<double> query_sum) {
  std::size_t targets = 0;
  for (const Stretch& stretch : batch.stretches) targets += stretch.targets();
  return part.step->compute(part.histories, targets, alone, query_sum);
}

template <class Batch>
double QueryTraining::compute_shards(const Batch& batch, Random& random) {
  const std::uint64_t seed = random.next();
  const auto part_of = [&](std::size_t shard) -> Part& { return parts_[shard - shards_->own().begin]; };
  shards_->run(shards_->own(), [&](std::size_t shard) {
    Part& part = part_of(shard);
    cut(batch, shard, part);
    if (part.is_empty) return;
    Random own(seed, shard);
    if constexpr (std::is_same_v<Batch, RankingBatch>) {
      part.step->bind(part.likes, own);
    } else {
      part.step->bind(part.histories, own);
    }
  });
  // Brings the rows that this process reads up to date; update() does so for those of others.
  std::vector<TableShape> shapes;
  for_each_table([&](std::size_t number, QueryTable table) {
    const EmbeddingTable& values = *network_.tables()[table];
    shapes.push_back({values.rows(), values.width()});
    touched_.assign(values.rows() / 64 + 1, 0);
    for (const Part& part : parts_) {
      if (!part.is_empty) mark_rows(part.step->rows()[table], touched_);
    }
    list_rows(touched_, rows_);
    optimizer_.catch_up(shards_->pool(), number, rows_);
  });
  shards_->run(shards_->own(), [&](std::size_t shard) {
    Part& part = part_of(shard);
    ShardGradients& left = shards_->gradients(shard);
    left.present = !part.is_empty;
    if (part.is_empty) return;
    left.sums.assign(query_sum_.size() + 1, 0.0);
    left.sums.back() = compute(part, batch, shards_->alone(shard), std::span(left.sums).first(query_sum_.size()));
    left.set_parameters(part.step->parameter_gradients().values());
    const std::vector<SparseGradient> gradients = gradients_of(*part.step);
    for (std::size_t t = 0; t < shapes.size(); ++t) left.set_table(t, gradients[t], shapes[t].width);
  });
  const ShardGradients& sum = shards_->add_up(sum_of_shards_.values().size(), shapes);
  std::ranges::copy(sum.parameters.span(), sum_of_shards_.values().begin());
  gradients_.clear();
  for (std::size_t t = 0; t < shapes.size(); ++t) gradients_.push_back(sum.table(t));
  for (std::size_t i = 0; i < query_sum_.size(); ++i) query_sum_[i] += sum.sums[i];
  return sum.sums.back();
}

void QueryTraining::update(ThreadPool& threads) { optimizer_.step(threads, parameter_gradients(), gradients_); }

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
