// Small worlds for the models with queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/baselines/query_model.h"

namespace linn {

struct QueryTrial {
  RecommenderKind kind;
  DislikeMode dislikes;
  std::string name;
};

// Every model as it is by default, and every way to treat dislikes with some.
inline const std::vector<QueryTrial> kQueryTrials = {
    {RecommenderKind::kBprmf, DislikeMode::kNone, "bprmf"},
    {RecommenderKind::kSvdpp, DislikeMode::kNone, "svdpp"},
    {RecommenderKind::kSvdpp, DislikeMode::kMinus, "svdpp_minus"},
    {RecommenderKind::kStamp, DislikeMode::kNone, "stamp"},
    {RecommenderKind::kStamp, DislikeMode::kEmbedding, "stamp_embedding"},
    {RecommenderKind::kGru4rec, DislikeMode::kNone, "gru4rec"},
    {RecommenderKind::kGru4rec, DislikeMode::kMinus, "gru4rec_minus"},
    {RecommenderKind::kNarm, DislikeMode::kNone, "narm"},
    {RecommenderKind::kNarm, DislikeMode::kNetwork, "narm_network"},
    {RecommenderKind::kSasrec, DislikeMode::kNone, "sasrec"},
    {RecommenderKind::kSasrec, DislikeMode::kEmbedding, "sasrec_embedding"},
};

inline RecommendOptions trial_options(const QueryTrial& trial, std::size_t width, double dropout = 0) {
  RecommendOptions options;
  options.network.width = width;
  options.dislikes = trial.dislikes;
  options.history = trial.kind == RecommenderKind::kSvdpp ? 0 : 4;
  options.heads = 2;
  options.dropout = static_cast<float>(dropout);
  options.optimizer.learning_rate = 0.01;
  options.optimizer.weight_decay = 1e-4;
  return options;
}

// Histories of random likes and dislikes, some of them empty or without likes, and groups about them.
class RandomAskers {
 public:
  RandomAskers(std::size_t queries, std::size_t users, std::size_t items, std::size_t group, std::uint64_t seed) {
    Random random(seed);
    histories_.resize(queries);
    batch_.group = group;
    for (std::size_t i = 0; i < queries; ++i) {
      const std::size_t length = i % 5 == 4 ? 0 : 1 + random.below(7);
      for (std::size_t t = 0; t < length; ++t) {
        histories_[i].push_back({static_cast<ItemId>(random.below(items)), i % 7 != 3 && random.chance(0.6)});
      }
      Query query{std::nullopt, histories_[i]};
      if (i % 3 != 2) query.user = static_cast<UserId>(random.below(users));
      batch_.queries.push_back(query);
      for (std::size_t k = 0; k < group; ++k) batch_.items.push_back(static_cast<ItemId>(random.below(items)));
    }
  }
  RandomAskers(const RandomAskers&) = delete;
  RandomAskers& operator=(const RandomAskers&) = delete;

  const RankingBatch& batch() const { return batch_; }

 private:
  std::vector<std::vector<Event>> histories_;
  RankingBatch batch_;
};

inline std::unique_ptr<QueryModel> make_trial(const QueryTrial& trial, const RecommendOptions& options,
                                              std::size_t users, std::size_t items, float deviation,
                                              std::uint64_t seed = 5) {
  auto model = std::make_unique<QueryModel>(trial.kind, options, users, items);
  Random random(seed);
  model->network().initialize(random, deviation);
  return model;
}

inline std::vector<float> scores_of(const RankingModel& model, const RankingBatch& batch, ThreadPool& threads) {
  std::vector<float> scores(batch.items.size());
  model.score(batch.queries, batch.items, batch.group, scores, threads);
  return scores;
}

// Everything that is learned, as one list.
inline std::vector<float> weights_of(const QueryModel& model) {
  const QueryNetwork& network = model.network();
  std::vector<float> all(network.parameters().values().begin(), network.parameters().values().end());
  for (const auto& table : network.tables()) {
    if (table) all.insert(all.end(), table->values().begin(), table->values().end());
  }
  all.insert(all.end(), network.newcomer().begin(), network.newcomer().end());
  return all;
}

}  // namespace linn
