// What can rank items for a history, whatever it was learned by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/context.h"
#include "linn/base/random.h"
#include "linn/base/thread_pool.h"
#include "linn/model/logic_model.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/item_counts.h"

namespace linn {

// Somebody to recommend to: the whole history, oldest first (a model cuts its own window), and who it is, where the
// model may have met the user in training.
struct Query {
  std::optional<UserId> user;
  std::span<const Event> history;
};

// Identifiers and titles of the items, and identifiers of the users, as they stand in model files.
struct Catalogue {
  Vocabulary users;
  Vocabulary items;
  std::vector<std::string> titles;  // by item; empty: none
};

// What a recommender that reasons can tell beside its scores; the truth of an item's expression is sigmoid(score).
class Reasoning {
 public:
  // What of a history is read.
  virtual HistoryWindow window() const = 0;
  // Whether the user has a vector of his own.
  virtual bool knows(std::optional<UserId> user) const = 0;
  // Sim(h and t, T) for every event, negated where disliked, and every target: events x targets.
  virtual std::vector<float> clause_truths(std::span<const Event> events, std::span<const ItemId> targets,
                                           ThreadPool& threads) const = 0;
  // Of the training rows.
  virtual const ItemCounts& counts() const = 0;

  // The modules and the vectors that they take, those of the items first; in an ensemble, of its first member.
  virtual const LogicNetwork& network() const = 0;
  virtual const EmbeddingTable& variables() const = 0;

 protected:
  ~Reasoning() = default;
};

class RankingModel {
 public:
  virtual ~RankingModel() = default;

  // How well each item suits an query; more is better. `items` has `each` item numbers for every query, one query after
  // the other, and `scores` as many places. An query with an empty history gets the model's best start for a newcomer.
  virtual void score(std::span<const Query> queries, std::span<const ItemId> items, std::size_t each,
                     std::span<float> scores, ThreadPool& threads) const = 0;

  // All items for one query; scores has a place for each item of the catalogue. Equal to score(), perhaps faster.
  virtual void score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const;

  virtual std::size_t items() const = 0;

  // Null where the model does not reason.
  virtual const Reasoning* reasoning() const { return nullptr; }

  // Computes once what many requests to an unchanging model have in common, at the price of memory. A training step
  // forgets it.
  virtual void expect_requests(ThreadPool& threads) { static_cast<void>(threads); }

  // `notes` go into the metadata of the file, beside the catalogue.
  virtual void save(const std::filesystem::path& path, const Catalogue& catalogue, const ModelNotes& notes) const = 0;
};

// A batch of a ranking loss: groups of one liked item and its negatives, for one query each.
struct RankingBatch {
  std::vector<Query> queries;  // one a group
  std::vector<ItemId> items;   // group by group: the liked item, then its negatives
  std::size_t group = 2;       // 1 + negatives
  double flip_rate = 0.0;      // share of likes expected to be wrong
};

enum class RankingLoss : std::uint8_t {
  kBpr,      // -log sigmoid(x+ - x-); LINN may take it on the similarity, as the paper does
  kSoftmax,  // -log of the softmax of the liked item in its group
};

// A figure of an epoch for its line of metrics, such as the sum of a regularizer, or a list of them.
struct EpochFigure {
  std::string name;
  std::vector<double> values;
};

// A recommender that learns by gradients, step by step. It owns its parameters and its optimizer.
class TrainableRankingModel : public RankingModel {
 public:
  // Called before the first step of a new training and not of a resumed one, which has its state from read_state: the
  // place for what takes long, such as modules that learn the laws alone first.
  virtual void start(Context& context) { static_cast<void>(context); }

  // One step on a batch: forward, loss, backward, update. Returns the loss of the task, summed over the groups.
  virtual double train_step(const RankingBatch& batch, Random& random, ThreadPool& threads) = 0;

  // After the last step of an epoch: everything can be read.
  virtual void end_epoch(ThreadPool& threads) = 0;

  // Exchanges the weights with their average over the epochs, where the options ask for one, and back at the next call:
  // the average is what is asked and saved. No step may be made in between.
  virtual void swap_average(ThreadPool& threads) { static_cast<void>(threads); }

  // Of the epoch that ended last, beside the loss of the task. Not numbers: training has diverged.
  virtual std::vector<EpochFigure> epoch_figures() const { return {}; }

  // Tensors of all that answers follow from, with `prefix` before their names. Views: nothing may change before they
  // are written.
  virtual void add_values(SafetensorsWriter& out, const std::string& prefix) const = 0;

  // In the same way all that is needed to go on with training. read_state throws InputError where the file does not
  // fit.
  virtual void add_state(SafetensorsWriter& out, const std::string& prefix) = 0;
  virtual void read_state(const SafetensorsFile& in, const std::string& prefix) = 0;
};

}  // namespace linn
