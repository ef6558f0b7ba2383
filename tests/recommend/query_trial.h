// Small instances of all query models, and random batches.
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
#include "linn/recommend/recommender_registry.h"

namespace linn {

struct QueryTrial {
  std::string kind;
  std::string dislikes;
  std::string name;
};

// Every model with its default, and every other way to read dislikes with at least one model.
inline const std::vector<QueryTrial> kQueryTrials = {
    {"bprmf", "none", "bprmf"},
    {"svdpp", "none", "svdpp"},
    {"svdpp", "minus", "svdpp_minus"},
    {"stamp", "none", "stamp"},
    {"stamp", "embedding", "stamp_embedding"},
    {"gru4rec", "none", "gru4rec"},
    {"gru4rec", "minus", "gru4rec_minus"},
    {"narm", "none", "narm"},
    {"narm", "network", "narm_network"},
    {"sasrec", "none", "sasrec"},
    {"sasrec", "embedding", "sasrec_embedding"},
};

inline NamedValues trial_options(const QueryTrial& trial, std::size_t width, double dropout = 0) {
  NamedValues options = {{"d", std::to_string(width)},
                         {"dropout", std::to_string(dropout)},
                         {"learning_rate", "0.01"},
                         {"weight_decay", "0.0001"},
                         {"clip_value", "0"}};
  if (trial.kind != "bprmf") {
    options.emplace_back("dislikes", trial.dislikes);
    options.emplace_back("history", trial.kind == "svdpp" ? "0" : "4");
  }
  if (trial.kind == "sasrec") options.emplace_back("heads", "2");
  return options;
}

// Those that can learn from whole histories.
inline std::vector<QueryTrial> history_trials() {
  std::vector<QueryTrial> trials;
  for (const QueryTrial& trial : kQueryTrials) {
    if (trial.kind != "bprmf") trials.push_back(trial);
  }
  return trials;
}

inline NamedValues history_trial_options(const QueryTrial& trial, std::size_t width, double dropout = 0) {
  NamedValues options = trial_options(trial, width, dropout);
  options.insert(options.end(), {{"train_on", "histories"}, {"loss", "softmax"}, {"negatives", "0"}});
  return options;
}

// Stretches of up to five distinct items, likes only if the trial reads no dislikes.
class RandomStretches {
 public:
  RandomStretches(const QueryTrial& trial, std::size_t stretches, std::size_t users, std::size_t items,
                  std::uint64_t seed) {
    Random random(seed);
    events_.resize(stretches);
    for (std::vector<Event>& events : events_) {
      std::vector<ItemId> order(items);
      std::iota(order.begin(), order.end(), ItemId{0});
      random.shuffle(std::span(order));
      const std::size_t length = 2 + random.below(4);
      for (std::size_t t = 0; t < length; ++t) {
        events.push_back({order[t], trial.dislikes == "none" || t == 1 || random.chance(0.6)});
      }
      batch_.stretches.push_back({static_cast<UserId>(random.below(users)), events});
    }
  }
  RandomStretches(const RandomStretches&) = delete;
  RandomStretches& operator=(const RandomStretches&) = delete;

  HistoryBatch& batch() { return batch_; }
  const HistoryBatch& batch() const { return batch_; }
  std::size_t targets() const {
    std::size_t count = 0;
    for (const Stretch& stretch : batch_.stretches) count += stretch.targets();
    return count;
  }

 private:
  std::vector<std::vector<Event>> events_;
  HistoryBatch batch_;
};

// A batch with histories of random likes and dislikes, some of them empty or without likes.
class RandomQueries {
 public:
  RandomQueries(std::size_t queries, std::size_t users, std::size_t items, std::size_t group, std::uint64_t seed) {
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
  RandomQueries(const RandomQueries&) = delete;
  RandomQueries& operator=(const RandomQueries&) = delete;

  const RankingBatch& batch() const { return batch_; }

 private:
  std::vector<std::vector<Event>> histories_;
  RankingBatch batch_;
};

// A model for training, with vectors from N(0, deviation).
inline std::unique_ptr<QueryModel> make_trial(const QueryTrial& trial, const NamedValues& options, std::size_t users,
                                              std::size_t items, float deviation, std::uint64_t seed = 5) {
  const RecommenderKind& kind = recommender_registry().require(trial.kind);
  InteractionData data;
  for (std::size_t i = 0; i < users; ++i) data.users.intern("u" + std::to_string(i));
  for (std::size_t i = 0; i < items; ++i) data.items.intern("i" + std::to_string(i));
  Context context;
  auto made = kind.make(*kind.settings(Preset::kPaper, {}, options), Histories(data), context);
  std::unique_ptr<QueryModel> model(dynamic_cast<QueryModel*>(made.release()));
  Random random(seed);
  model->network().initialize(random, deviation);
  return model;
}

inline std::vector<float> scores_of(const RankingModel& model, const RankingBatch& batch, ThreadPool& threads) {
  std::vector<float> scores(batch.items.size());
  model.score(batch.queries, batch.items, batch.group, scores, threads);
  return scores;
}

// All learned values.
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
