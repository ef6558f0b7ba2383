#include "linn/recommend/protocol/ranking_ensemble.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace linn {
namespace {

template <class Model>
std::vector<RankingModel*> pointers_to(const std::vector<std::unique_ptr<Model>>& models) {
  std::vector<RankingModel*> pointers;
  for (const auto& model : models) pointers.push_back(model.get());
  return pointers;
}

}  // namespace

RankingEnsemble::RankingEnsemble(std::vector<std::unique_ptr<RankingModel>> members)
    : own_(std::move(members)), members_(pointers_to(own_)) {
  assert(!members_.empty());
}

void RankingEnsemble::average(
    std::span<float> mean, const std::function<void(const RankingModel& member, std::span<float> values)>& fill) const {
  fill(*members_[0], mean);
  std::vector<float> values(mean.size());
  for (std::size_t i = 1; i < members_.size(); ++i) {
    fill(*members_[i], values);
    std::ranges::transform(mean, values, mean.begin(), std::plus<>());
  }
  for (float& value : mean) value /= static_cast<float>(members_.size());
}

void RankingEnsemble::score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                            std::span<float> scores, ThreadPool& threads) const {
  average(scores, [&](const RankingModel& member, std::span<float> values) {
    member.score(queries, items, each, values, threads);
  });
}

void RankingEnsemble::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  average(scores,
          [&](const RankingModel& member, std::span<float> values) { member.score_all(query, values, threads); });
}

void RankingEnsemble::score_all_of(std::span<const Query> queries, std::span<float> scores, ThreadPool& threads) const {
  average(scores,
          [&](const RankingModel& member, std::span<float> values) { member.score_all_of(queries, values, threads); });
}

void RankingEnsemble::prepare_for_queries(ThreadPool& threads) {
  for (RankingModel* member : members_) member->prepare_for_queries(threads);
}

void RankingEnsemble::use_device(TrainingDevice* device) {
  for (RankingModel* member : members_) member->use_device(device);
}

void RankingEnsemble::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->add_values(out, prefix + member_prefix(i));
}

std::optional<ScoreShares> RankingEnsemble::score_shares(const Query& query, std::span<const ItemId> targets,
                                                         ThreadPool& threads) const {
  std::optional<ScoreShares> mean;
  const auto add = [](std::vector<float>& sum, const std::vector<float>& values) {
    sum.resize(values.size(), 0.0F);
    std::ranges::transform(sum, values, sum.begin(), std::plus<>());
  };
  for (const RankingModel* member : members_) {
    const auto shares = member->reasoning()->score_shares(query, targets, threads);
    if (!shares) return std::nullopt;
    if (!mean) mean.emplace();
    add(mean->bases, shares->bases);
    add(mean->shares, shares->shares);
  }
  for (std::vector<float>* values : {&mean->bases, &mean->shares}) {
    for (float& value : *values) value /= static_cast<float>(members_.size());
  }
  return mean;
}

std::vector<float> RankingEnsemble::clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                                  ThreadPool& threads) const {
  std::vector<float> truths(events.size() * targets.size());
  average(truths, [&](const RankingModel& member, std::span<float> values) {
    std::ranges::copy(member.reasoning()->clause_truths(events, targets, threads), values.begin());
  });
  return truths;
}

TrainableEnsemble::TrainableEnsemble(std::vector<std::unique_ptr<TrainableRankingModel>> members)
    : members_(std::move(members)), ensemble_(pointers_to(members_)), losses_(members_.size()) {
  assert(!members_.empty());
  for (std::size_t i = 0; i < members_.size(); ++i) own_threads_.push_back(std::make_unique<ThreadPool>(1));
}

void TrainableEnsemble::start(Context& context, const PretrainingPlace& place) {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->start(context, {place.store, i});
}

void TrainableEnsemble::use_shards(Shards& shards) {
  in_shards_ = true;
  for (auto& member : members_) member->use_shards(shards);
}

double TrainableEnsemble::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  return train(
      [&](TrainableRankingModel& member, Random& own, ThreadPool& pool) { return member.train_step(batch, own, pool); },
      random, threads);
}

double TrainableEnsemble::train_on_histories(const HistoryBatch& batch, Random& random, ThreadPool& threads) {
  return train([&](TrainableRankingModel& member, Random& own,
                   ThreadPool& pool) { return member.train_on_histories(batch, own, pool); },
               random, threads);
}

double TrainableEnsemble::train(
    const std::function<double(TrainableRankingModel& member, Random& random, ThreadPool& threads)>& step,
    Random& random, ThreadPool& threads) {
  const std::uint64_t seed = random.next();
  const auto train_member = [&](std::size_t i, ThreadPool& pool) {
    Random own(seed, i);
    losses_[i] = step(*members_[i], own, pool);
  };
  if (in_shards_) {
    for (std::size_t i = 0; i < members_.size(); ++i) train_member(i, threads);
  } else {
    threads.run(members_.size(), [&](std::size_t i, std::size_t) { train_member(i, *own_threads_[i]); });
  }
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(members_.size());
}

void TrainableEnsemble::end_epoch(ThreadPool& threads) {
  for (auto& member : members_) member->end_epoch(threads);
}

double TrainableEnsemble::late_loss() const {
  double sum = 0.0;
  for (const auto& member : members_) sum += member->late_loss();
  return sum / static_cast<double>(members_.size());
}

void TrainableEnsemble::swap_average(ThreadPool& threads) {
  for (auto& member : members_) member->swap_average(threads);
}

Metrics TrainableEnsemble::epoch_metrics() const {
  Metrics means = members_[0]->epoch_metrics();
  for (std::size_t i = 1; i < members_.size(); ++i) {
    const Metrics metrics = members_[i]->epoch_metrics();
    for (std::size_t k = 0; k < means.size(); ++k) {
      for (std::size_t j = 0; j < means[k].values.size(); ++j) means[k].values[j] += metrics[k].values[j];
    }
  }
  for (Metric& metric : means) {
    for (double& value : metric.values) value /= static_cast<double>(members_.size());
  }
  return means;
}

void TrainableEnsemble::add_state(SafetensorsWriter& out, const std::string& prefix) {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->add_state(out, prefix + member_prefix(i));
}

void TrainableEnsemble::read_state(const SafetensorsFile& in, const std::string& prefix) {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->read_state(in, prefix + member_prefix(i));
}

}  // namespace linn
