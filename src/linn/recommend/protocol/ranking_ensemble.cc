#include "linn/recommend/protocol/ranking_ensemble.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "linn/recommend/protocol/model_header.h"

namespace linn {

RankingEnsemble::RankingEnsemble(RecommenderKind kind, const RecommendOptions& options,
                                 std::vector<std::unique_ptr<TrainableRankingModel>> members)
    : kind_(kind), options_(options), members_(std::move(members)), losses_(members_.size()) {
  assert(!members_.empty());
  for (std::size_t i = 0; i < members_.size(); ++i) own_threads_.push_back(std::make_unique<ThreadPool>(1));
}

void RankingEnsemble::average(
    std::span<float> mean,
    const std::function<void(const TrainableRankingModel& member, std::span<float> values)>& fill) const {
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
  average(scores, [&](const TrainableRankingModel& member, std::span<float> values) {
    member.score(queries, items, each, values, threads);
  });
}

void RankingEnsemble::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  average(scores, [&](const TrainableRankingModel& member, std::span<float> values) {
    member.score_all(query, values, threads);
  });
}

void RankingEnsemble::expect_requests(ThreadPool& threads) {
  for (auto& member : members_) member->expect_requests(threads);
}

std::vector<float> RankingEnsemble::clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                                  ThreadPool& threads) const {
  std::vector<float> truths(events.size() * targets.size());
  average(truths, [&](const TrainableRankingModel& member, std::span<float> values) {
    std::ranges::copy(member.reasoning()->clause_truths(events, targets, threads), values.begin());
  });
  return truths;
}

void RankingEnsemble::start(Context& context) {
  for (auto& member : members_) member->start(context);
}

double RankingEnsemble::train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) {
  const std::uint64_t seed = random.next();
  threads.run(members_.size(), [&](std::size_t i, std::size_t) {
    Random own(seed, i);
    losses_[i] = members_[i]->train_step(batch, own, *own_threads_[i]);
  });
  return std::accumulate(losses_.begin(), losses_.end(), 0.0) / static_cast<double>(members_.size());
}

void RankingEnsemble::end_epoch(ThreadPool& threads) {
  for (auto& member : members_) member->end_epoch(threads);
}

void RankingEnsemble::swap_average(ThreadPool& threads) {
  for (auto& member : members_) member->swap_average(threads);
}

std::vector<EpochFigure> RankingEnsemble::epoch_figures() const {
  std::vector<EpochFigure> means = members_[0]->epoch_figures();
  for (std::size_t i = 1; i < members_.size(); ++i) {
    const std::vector<EpochFigure> figures = members_[i]->epoch_figures();
    for (std::size_t k = 0; k < means.size(); ++k) {
      for (std::size_t j = 0; j < means[k].values.size(); ++j) means[k].values[j] += figures[k].values[j];
    }
  }
  for (EpochFigure& figure : means) {
    for (double& value : figure.values) value /= static_cast<double>(members_.size());
  }
  return means;
}

void RankingEnsemble::save(const std::filesystem::path& path, const Catalogue& catalogue,
                           const ModelNotes& notes) const {
  SafetensorsWriter out;
  write_recommender_header(out, kind_, options_, catalogue, notes);
  add_values(out, {});
  out.write(path);
}

void RankingEnsemble::add_values(SafetensorsWriter& out, const std::string& prefix) const {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->add_values(out, prefix + prefix_of(i));
}

void RankingEnsemble::add_state(SafetensorsWriter& out, const std::string& prefix) {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->add_state(out, prefix + prefix_of(i));
}

void RankingEnsemble::read_state(const SafetensorsFile& in, const std::string& prefix) {
  for (std::size_t i = 0; i < members_.size(); ++i) members_[i]->read_state(in, prefix + prefix_of(i));
}

}  // namespace linn
