// The interfaces of recommenders: a RankingModel scores items for a query, a TrainableRankingModel is trained in steps.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/metrics/metric.h"
#include "linn/model/safetensors.h"
#include "linn/nn/embedding.h"
#include "linn/nn/logic_network.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/likes.h"
#include "linn/train/pretrain.h"

namespace linn {

class Shards;
class TrainingDevice;

// A request for recommendations: the whole history, oldest event first (models cut their own window), and the user, if
// they may be known from training.
struct Query {
  std::optional<UserId> user;
  std::span<const Event> history;
};

// Identifiers of users and items, and titles of items, as in model files.
struct Catalogue {
  Vocabulary users;
  Vocabulary items;
  std::vector<std::string> titles;  // by item; empty if there are none

  // Empty for an item without a title.
  std::string_view title(ItemId item) const { return item < titles.size() ? titles[item] : std::string_view(); }
  // The title, or the identifier of an item without one.
  const std::string& name(ItemId item) const { return title(item).empty() ? items.name(item) : titles[item]; }
};

// A score as a sum: base + the shares of all events.
struct ScoreShares {
  std::vector<float> bases;   // by target
  std::vector<float> shares;  // events x targets
};

// What a recommender that reasons reveals beyond its scores.
class Reasoning {
 public:
  // The part of a history that is read.
  virtual HistoryWindow window() const = 0;
  // Whether the user has a vector.
  virtual bool has_vector(std::optional<UserId> user) const = 0;
  // Sim(h and t, T) for every event h, negated if disliked, and every target t: events x targets.
  virtual std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                           ThreadPool& threads) const = 0;
  // For a model that reads event by event: the score of each target without the events, and by how much each event
  // raises it as it is read. nullopt for other models.
  virtual std::optional<ScoreShares> score_shares(const Query&, std::span<const ItemId> /*targets*/,
                                                  ThreadPool&) const {
    return std::nullopt;
  }
  // The counts of the training rows.
  virtual const ItemCounts& counts() const = 0;

  // The modules and their input vectors, those of the items first. For an ensemble: of the first member.
  virtual const LogicNetwork& network() const = 0;
  virtual const EmbeddingTable& variables() const = 0;

 protected:
  ~Reasoning() = default;
};

class RankingModel {
 public:
  virtual ~RankingModel() = default;

  // Scores items for queries; higher is better. `items` has `each` items per query, query by query, and `scores` one
  // element per item. Given an empty history, popular items score higher.
  virtual void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                     std::span<float> scores, ThreadPool& threads) const = 0;

  // Scores all items of the catalogue for one query: the same as score(), but may be faster.
  virtual void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
    assert(scores.size() == items());
    std::vector<ItemId> all(items());
    std::iota(all.begin(), all.end(), ItemId{0});
    score({&query, 1}, all, all.size(), scores, threads);
  }

  // The same for several queries, whose scores follow each other; together they may be scored faster.
  virtual void score_all_of(std::span<const Query> queries, std::span<float> scores, ThreadPool& threads) const {
    assert(scores.size() == queries.size() * items());
    for (std::size_t i = 0; i < queries.size(); ++i) {
      score_all(queries[i], scores.subspan(i * items(), items()), threads);
    }
  }

  virtual std::size_t items() const = 0;

  // Null if the model does not reason.
  virtual const Reasoning* reasoning() const { return nullptr; }

  // Precomputes what all queries share, at the cost of memory. Training discards it.
  virtual void prepare_for_queries(ThreadPool& threads) { static_cast<void>(threads); }

  // From now on, score() computes on this device (null: the CPU), which must outlive its use. Throws InputError for a
  // model that cannot.
  virtual void use_device(TrainingDevice* device) {
    if (device != nullptr) throw InputError("this model is not there on a GPU: evaluate it on the CPU");
  }

  // Adds all tensors that predictions depend on; their names begin with `prefix`. The writer keeps views: the model
  // must not change until they are written.
  virtual void add_values(SafetensorsWriter& out, const std::string& prefix) const = 0;
};

// A training batch: groups of one liked item and its negatives, one query per group.
struct RankingBatch {
  std::vector<Query> queries;  // one per group
  std::vector<ItemId> items;   // group by group: the liked item, then its negatives
  std::size_t group = 2;       // 1 + negatives
  double label_noise = 0.0;    // expected share of wrong likes
};

// A part of a user's training events, oldest first, that a model reads from its beginning. Every like from event
// `first_target` on is a target; at most HistoryWindow::length events precede the last one (stretches.h).
struct Stretch {
  UserId user = 0;
  std::span<const Event> events;
  std::size_t first_target = 1;  // at least 1: a target has a history

  bool is_target(std::size_t event) const { return event >= first_target && events[event].liked; }
  std::size_t targets() const {
    if (first_target >= events.size()) return 0;
    return static_cast<std::size_t>(std::ranges::count_if(events.subspan(first_target), &Event::liked));
  }
};

// A training batch of whole histories.
struct HistoryBatch {
  std::vector<Stretch> stretches;
  std::vector<ItemId> negatives;           // shared by the batch; empty: the whole catalogue
  std::vector<float> negative_log_counts;  // log(n q_j) of each, see catalogue_softmax.h
  double label_noise = 0.0;                // expected share of wrong likes
};

// A recommender that is trained by gradient descent. It owns its parameters and its optimizer.
class TrainableRankingModel : public RankingModel {
 public:
  // Called before the first step, but not if training is resumed, since read_state() restores everything. This is the
  // place for long preparations, such as pretraining, whose state is stored in `place`.
  virtual void start(Context&, const PretrainingPlace& /*place*/) {}

  // Makes all steps in these shards (train/shards.h), which must outlive the training. Called before the first step, or
  // never: then steps are done as a whole.
  virtual void use_shards(Shards&) { throw Failure("this model does not train in shards"); }

  // One step on a batch: forward, loss, backward, update. Returns the task's loss, summed over the groups.
  virtual double train_step(const RankingBatch&, Random&, ThreadPool&) {
    throw Failure("this model learns from whole histories");
  }

  // How histories are cut, for a model that learns from whole histories by train_on_histories(); nullopt: it learns
  // from single likes by train_step().
  virtual std::optional<HistoryWindow> training_window() const { return std::nullopt; }
  // One step on a batch, along the gradient of the mean loss over its targets. Returns the loss, summed over the
  // targets. Called only if there is a training window.
  virtual double train_on_histories(const HistoryBatch&, Random&, ThreadPool&) {
    throw Failure("this model does not learn from whole histories");
  }

  // Called after the last step of an epoch. Afterwards all parameters are up to date.
  virtual void end_epoch(ThreadPool& threads) = 0;

  // As for EpochTask: steps on a device return 0, and after end_epoch() the loss of all of them is here.
  virtual bool has_late_loss() const { return false; }
  virtual double late_loss() const { return 0.0; }

  // Swaps the weights with their average over the epochs, if the options ask for one; the next call swaps them back.
  // Models are evaluated and saved with the average. No step may be made in between.
  virtual void swap_average(ThreadPool& threads) { static_cast<void>(threads); }

  // Metrics of the last completed epoch besides the task's loss. NaN or infinity: training has diverged.
  virtual Metrics epoch_metrics() const { return {}; }

  // Like add_values(), for everything that resuming needs. read_state() throws InputError if the file does not match.
  virtual void add_state(SafetensorsWriter& out, const std::string& prefix) = 0;
  virtual void read_state(const SafetensorsFile& in, const std::string& prefix) = 0;
};

}  // namespace linn
