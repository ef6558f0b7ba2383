#include "linn/recommend/baselines/query_pass.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "linn/kernels/elementwise.h"

namespace linn {

QueryPass::QueryPass(const QueryNetwork& network)
    : network_(&network), width_(network.width()), dropout_(network.dropout()) {
  if (network.encoder() != nullptr) encoder_memory_ = network.encoder()->make_memory();
}

void QueryPass::bind(std::span<const Query> queries) {
  const auto& users = network_->tables()[QueryTable::kUsers];
  queries_ = queries.size();
  for (auto* list : {&users_, &user_queries_, &newcomers_, &window_lengths_, &window_queries_}) list->clear();
  window_events_.clear();
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Query& query = queries[i];
    const auto number = static_cast<std::uint32_t>(i);
    const bool known = users && query.user;
    if (known) {
      assert(*query.user < users->rows());
      users_.push_back(*query.user);
      user_queries_.push_back(number);
    }
    const std::size_t begin = window_events_.size();
    if (network_->encoder() != nullptr) network_->window().cut(query.history, window_events_);
    const std::size_t length = window_events_.size() - begin;
    if (length > 0) {
      window_lengths_.push_back(static_cast<std::uint32_t>(length));
      window_queries_.push_back(number);
    } else if (!known) {
      newcomers_.push_back(number);
    }
  }
  pack_windows();
  ends_.assign_last(sequences_);
  end_queries_.resize(ends_.size());
  for (std::size_t i = 0; i < end_queries_.size(); ++i) end_queries_[i] = window_queries_[sequences_.order()[i]];
}

void QueryPass::bind(std::span<const Stretch> stretches) {
  assert(network_->encoder() != nullptr);
  for (auto* list : {&users_, &user_queries_, &newcomers_, &window_lengths_}) list->clear();
  window_events_.clear();
  for (const Stretch& stretch : stretches) {
    // Nothing follows the last target that the loss depends on.
    std::size_t last = stretch.events.size() - 1;
    while (!stretch.events[last].liked) --last;
    const auto read = stretch.events.first(last);
    window_events_.insert(window_events_.end(), read.begin(), read.end());
    window_lengths_.push_back(static_cast<std::uint32_t>(last));
  }
  pack_windows();

  const bool known = network_->tables()[QueryTable::kUsers].has_value();
  ends_.clear();
  targets_.clear();
  for (std::size_t i = 0; i < sequences_.sequences(); ++i) {
    const Stretch& stretch = stretches[sequences_.order()[i]];
    for (std::size_t t = 0; t < sequences_.length(i); ++t) {
      if (!stretch.is_target(t + 1)) continue;
      ends_.add(sequences_, i, t);
      targets_.push_back(stretch.events[t + 1].item);
      if (known) users_.push_back(stretch.user);
    }
    ends_.end_sequence();
  }
  queries_ = targets_.size();
  end_queries_.resize(queries_);
  std::iota(end_queries_.begin(), end_queries_.end(), 0U);
  if (known) user_queries_ = end_queries_;
}

void QueryPass::pack_windows() {
  sequences_.assign(window_lengths_);
  events_.resize(window_events_.size());
  sequences_.pack(std::span<const Event>(window_events_), std::span<Event>(events_));
}

// q = dropout(u) + encoder(dropout(x)), as far as the model has these parts
ConstMatrixView QueryPass::forward(Random* random) {
  q_.reshape(queries_, width_);
  q_.fill(0);
  if (!events_.empty()) encode(random);
  if (!users_.empty()) {
    const EmbeddingTable& table = *network_->tables()[QueryTable::kUsers];
    user_vectors_.reshape(users_.size(), width_);
    const MatrixView vectors = user_vectors_.view();
    gather_rows({table.values().data(), table.rows(), width_, width_}, users_, vectors);
    dropout_.forward(vectors, random, vectors, user_dropout_);
    add_to_rows(vectors, user_queries_, q_.view());
  }
  for (const std::uint32_t query : newcomers_) std::ranges::copy(network_->newcomer(), q_.row(query));
  return q_.view();
}

void QueryPass::encode(Random* random) {
  const auto& tables = network_->tables();
  const auto& second = tables[QueryTable::kDisliked];
  x_.reshape(events_.size(), width_);
  encoded_.reshape(ends_.size(), width_);
  network_->history_vectors().forward(network_->parameters(), *tables[network_->history_table()],
                                      second ? &*second : nullptr, events_, x_.view(), vectors_cache_);
  dropout_.forward(x_.view(), random, x_.view(), history_dropout_);
  network_->encoder()->forward(network_->parameters(), sequences_, ends_, x_.view(), random, encoded_.view(),
                               *encoder_memory_);
  scatter_rows(encoded_.view(), end_queries_, q_.view());
}

std::size_t QueryPass::add_known_queries(std::span<double> sum) const {
  auto newcomer = newcomers_.begin();
  for (std::size_t i = 0; i < queries_; ++i) {
    if (newcomer != newcomers_.end() && *newcomer == i) {
      ++newcomer;
      continue;
    }
    for (std::size_t j = 0; j < width_; ++j) sum[j] += static_cast<double>(q_.row(i)[j]);
  }
  return queries_ - newcomers_.size();
}

void QueryPass::backward(const MatrixView& dq) {
  assert(dq.rows == queries_ && dq.cols == width_);
  const ParameterSet& parameters = network_->parameters();
  if (!gradients_) gradients_.emplace(parameters);
  gradients_->clear();
  if (!users_.empty()) {
    gather_rows(dq, user_queries_, user_vectors_.view());
    dropout_.backward(user_vectors_.view(), user_vectors_.view(), user_dropout_);
  }
  if (!events_.empty()) {
    dx_.reshape(events_.size(), width_);
    gather_rows(dq, end_queries_, encoded_.view());
    network_->encoder()->backward(parameters, *gradients_, sequences_, ends_, x_.view(), encoded_.view(), dx_.view(),
                                  *encoder_memory_);
    dropout_.backward(dx_.view(), dx_.view(), history_dropout_);
    network_->history_vectors().backward(parameters, *gradients_, dx_.view(), vectors_cache_);
  }
}

void QueryPass::add_gradients(ParameterGradients& parameters, PerTable<RowGradients>& gradients) const {
  axpy(parameters.values().size(), 1.0F, gradients_->values().data(), parameters.values().data());
  if (!users_.empty()) gradients[QueryTable::kUsers].add(users_, user_vectors_.view());
  for (std::size_t i = 0; i < events_.size(); ++i) {
    gradients[table_of(events_[i])].add({&events_[i].item, 1}, row_range(dx_.view(), i, 1));
  }
}

}  // namespace linn
