// The public interface of linn. A Reasoner learns from logical equations and predicts the truth of expressions; a
// Recommender learns from likes and dislikes, and recommends items with reasons.
//
//   #include <linn/linn.h>
//   #include <iostream>
//
//   int main() {
//     linn::KnowledgeBase knowledge;
//     knowledge.add("rain & !umbrella -> wet = T");
//     knowledge.add("rain = T");
//     knowledge.add("umbrella = F");
//     const linn::Reasoner reasoner = linn::Reasoner::infer(knowledge);
//     std::cout << reasoner.truth_of("wet & rain") << '\n';  // near 1
//
//     linn::Interactions ratings;
//     for (const char* user : {"anna", "ben", "carla", "dan"}) {
//       ratings.like(user, "Alien");
//       ratings.dislike(user, "Grease");
//       ratings.like(user, "Solaris");
//     }
//     for (const char* user : {"eva", "finn", "gina", "hugo"}) {
//       ratings.like(user, "Grease");
//       ratings.dislike(user, "Alien");
//       ratings.like(user, "Evita");
//     }
//     const linn::Recommender recommender = linn::Recommender::learn(ratings);
//     const linn::History history = {{"Alien"}, {"Grease", false}};  // liked, disliked
//     for (const linn::Recommendation& next : recommender.recommend({.history = history})) {
//       std::cout << next.item << "  " << next.words << '\n';  // Solaris  Because you liked Alien ...
//     }
//   }
//
// Errors. Every call may throw InputError for invalid input (a syntax error, an unknown item, a setting out of range)
// and Failure for anything else that goes wrong (a full disk). Both are in linn/base/error.h. The library never prints,
// exits or starts processes.
//
// Threads. Reasoner and Recommender are immutable: any number of threads may call one object at once. Calls that take a
// single query run on the calling thread; calls that take many distribute them over `threads` threads (0: all cores),
// and the results do not depend on the number of threads. A KnowledgeBase or Interactions object must not be used by
// several threads at once. All objects can be moved but not copied.
//
// Stopping. Calls that may take long read `stop` now and then, where one is given: once another thread has set it, they
// throw Interrupted. It must outlive the call.
#pragma once

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/export.h"
#include "linn/version.h"

namespace linn {

struct EquationData;
struct InteractionData;

// ---------------------------------------------------------------------------------------------------------------------
// Learning

// The value of a setting: a boolean, a number or a word.
class LINN_EXPORT SettingValue {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a setting is written as {"epochs", 40}.
  template <std::integral Number>
  SettingValue(Number value) : text_(std::to_string(value)) {}
  SettingValue(bool value) : text_(value ? "true" : "false") {}
  SettingValue(double value);
  SettingValue(float value) : SettingValue(static_cast<double>(value)) {}
  SettingValue(const char* value) : text_(value) {}
  SettingValue(std::string value) : text_(std::move(value)) {}
  // NOLINTEND(google-explicit-constructor)
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// The progress of a training.
struct TrainingProgress {
  std::string_view stage;  // "pretraining" or "training"
  std::size_t done = 0;    // completed steps
  std::size_t total = 0;   // steps if training does not stop early
  double loss = 0.0;       // mean training loss in the current epoch
};

// The results of one epoch.
struct TrainedEpoch {
  std::size_t epoch = 0;                     // counted from 1
  double loss = 0.0;                         // training loss, summed over the examples
  double seconds = 0.0;                      // of training, without validation
  std::map<std::string, double> validation;  // such as "accuracy" or "ndcg@10"; empty without validation data
};

// How to train.
struct LearnOptions {
  std::string model = "linn";                         // see reasoner_models() and recommender_models()
  std::string preset = "best";                        // settings to start from: "best", "paper" or "authors"
  std::map<std::string, SettingValue> settings = {};  // changes to the preset: {{"epochs", 40}, {"loss", "bpr"}}
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: one per core; the result does not depend on it

  // A run folder, as created by `linn train`, for the best model, the metrics and a checkpoint. If empty, nothing is
  // written to disk. A folder that already has a run is an InputError unless `resume` or `force` is set.
  std::filesystem::path folder = {};
  bool resume = false;  // resume the run in the folder, if there is one, with the same data and settings; only `epochs`
                        // and `patience` may differ
  bool force = false;   // replace a run in the folder

  // What the caller wants to be kept with a recommender: it is written with the model, and notes() gives it back.
  std::map<std::string, std::string> notes = {};

  // Callbacks, called on the thread that called learn(). `progress` is called after every step; returning false cancels
  // the training: learn() returns the best model so far, and a run in a folder can be resumed. `epoch` is called after
  // every epoch.
  std::function<bool(const TrainingProgress&)> progress = nullptr;
  std::function<void(const TrainedEpoch&)> epoch = nullptr;

  // Ends the training with Interrupted. A run in a folder keeps its best model and can be resumed.
  const std::atomic<bool>* stop = nullptr;
};

// The outcome of a training.
struct TrainingSummary {
  std::size_t best_epoch = 0;                // the epoch of the returned model; 0: no epoch was completed
  std::size_t epochs = 0;                    // completed epochs, including those before a resume
  double seconds_per_epoch = 0.0;            // of training, without validation
  bool cancelled = false;                    // whether `progress` returned false
  std::map<std::string, double> validation;  // metrics of the returned model; empty without validation data
  std::vector<TrainedEpoch> history;         // the epochs completed by this call
};

// A setting of a model.
struct SettingInfo {
  std::string name;
  std::string help;
  std::string range;  // such as "0 to 1" or "relu|tanh"
  std::string value;  // in the preset
};

// The names for LearnOptions::model, default first.
LINN_EXPORT std::vector<std::string> reasoner_models();
LINN_EXPORT std::vector<std::string> recommender_models();
// All settings of a model with their values in a preset. Some values depend on the size of the data; these are for the
// size of the paper's smaller data sets. Throws InputError for an unknown model or preset.
LINN_EXPORT std::vector<SettingInfo> reasoner_settings(std::string_view model, std::string_view preset = "best");
LINN_EXPORT std::vector<SettingInfo> recommender_settings(std::string_view model, std::string_view preset = "best");

// ---------------------------------------------------------------------------------------------------------------------
// Logic

// Returns the simplified disjunctive ("dnf") or conjunctive ("cnf") normal form of an expression. Throws InputError
// with line and column for a syntax error.
LINN_EXPORT std::string normalize(std::string_view expression, std::string_view form = "dnf");

// A set of equations: expressions with their truth values.
class LINN_EXPORT KnowledgeBase {
 public:
  KnowledgeBase();
  ~KnowledgeBase();
  KnowledgeBase(KnowledgeBase&& other) noexcept;
  KnowledgeBase& operator=(KnowledgeBase&& other) noexcept;

  // Adds `EXPRESSION = VALUE`, where VALUE is T, F or a number from 0 to 1. Throws InputError with the column, and adds
  // nothing, if the equation is invalid.
  void add(std::string_view equation);
  // Adds an expression with its truth, from 0 to 1. Throws InputError likewise.
  void add(std::string_view expression, double truth);
  // Adds all equations of a file: a knowledge base (one equation per line), a table or a DIMACS CNF. Throws InputError
  // with file and line, and adds nothing, if one is invalid.
  void add_file(const std::filesystem::path& path);

  // The number of equations.
  std::size_t size() const;
  // The names of all variables, in order of first occurrence.
  std::vector<std::string> variables() const;

 private:
  friend class Reasoner;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Predicts the truth of expressions.
class LINN_EXPORT Reasoner {
 public:
  // Trains a model on the equations. Throws InputError if there are none. The default, a LINN network, is meant for
  // hundreds of equations or more; under the preset "best" its modules are pretrained first, which takes some seconds.
  // With 50 equations or more, a random tenth is held back to select the best epoch.
  static Reasoner learn(const KnowledgeBase& knowledge, const LearnOptions& options = {});
  // Trains a model on a data folder or a file of equations, as `linn train equations` does, with its validation data.
  static Reasoner learn_folder(const std::filesystem::path& data, const LearnOptions& options = {});
  // Infers the posterior of all variables by Gibbs sampling: the better choice for few equations. `label_noise` is the
  // probability that a label is wrong, from 0 to 0.5; values below min(0.001, 1 / (equations + 1)) are raised to it,
  // since sampling needs some noise. Throws InputError if there are no equations.
  static Reasoner infer(const KnowledgeBase& knowledge, double label_noise = 0.0, std::uint64_t seed = 0,
                        const std::atomic<bool>* stop = nullptr);
  // Loads a run folder, as created by learn() or `linn train equations`, or a model file. Throws InputError if there is
  // no valid model.
  static Reasoner load(const std::filesystem::path& run_or_file);
  ~Reasoner();
  Reasoner(Reasoner&& other) noexcept;
  Reasoner& operator=(Reasoner&& other) noexcept;

  // Returns the probability that an expression is true. Throws InputError for a syntax error or an unknown variable.
  double truth_of(std::string_view expression) const;
  // The same for many expressions. The line of an InputError is the number of the expression, counted from 1.
  std::vector<double> truth_of(std::span<const std::string> expressions, std::size_t threads = 0,
                               const std::atomic<bool>* stop = nullptr) const;

  struct Variable {
    std::string name;
    double truth = 0.0;
  };
  // All variables with the probability that each is true, in the order of vectors().
  std::vector<Variable> variables() const;
  // The vectors of the variables, row by row, width() floats each; empty, with width 0, if the model has none. For an
  // ensemble, those of the first network. Valid for the lifetime of this object.
  std::span<const float> vectors() const;
  std::size_t width() const;

  // How well a LINN obeys a law of logic: the two sides, expressions over a, b and c, should be equal or, with
  // `differ`, opposite.
  struct Law {
    struct Figures {
      std::size_t cases = 0;    // 0: the rest has no meaning
      double similarity = 0.0;  // the mean of Sim(left, right)
      double agreement = 0.0;   // the share of cases in which both sides are true or neither is; with `differ`, one is
      double difference = 0.0;  // the mean of |p_left - p_right|; with `differ`, |p_left + p_right - 1|
    };
    std::string name, left, right;
    bool differ = false;
    bool taught = false;  // one of the ten laws of the training
    Figures variables;    // with the vectors of variables for a, b and c
    Figures expressions;  // with the vectors of the given expressions
  };
  // Audits the laws, as `linn audit` does, on at most so many random cases each. Of an ensemble, the first network is
  // audited. Throws InputError like truth_of(), and if the model is not a LINN network.
  std::vector<Law> audit(std::span<const std::string> expressions = {}, std::size_t cases = 1000,
                         std::uint64_t seed = 0, std::size_t threads = 0,
                         const std::atomic<bool>* stop = nullptr) const;

  // Expressions as the network reads them, in disjunctive or conjunctive normal form: expression i has the clauses
  // expressions[i] to expressions[i + 1], clause c the literals clauses[c] to clauses[c + 1]. A literal is twice the
  // place of its variable in vectors(), plus one if it is negated. For programs that compute with the vectors
  // themselves. Throws InputError like truth_of(), and if the model is not a LINN network.
  struct Clauses {
    bool disjunctive = true;
    std::vector<std::uint32_t> expressions = {0};
    std::vector<std::uint32_t> clauses = {0};
    std::vector<std::uint32_t> literals = {};
  };
  Clauses clauses_of(std::span<const std::string> expressions) const;

  // The outcome of learn(); empty if this object was loaded or inferred.
  const TrainingSummary& training() const;

  // Writes the model to a file for load(), atomically.
  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  static Reasoner learn(EquationData& data, std::size_t equations, const std::string& source,
                        const LearnOptions& options);
  explicit Reasoner(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Recommendation

// Interactions in columns: names, and for every interaction the places of its user and its item among them.
struct InteractionColumns {
  std::span<const std::string> users, items;
  std::span<const std::uint32_t> user, item;
  std::span<const std::uint8_t> liked = {};  // 0: disliked; empty: all are liked
  std::span<const std::int64_t> time = {};   // empty: 0
};

// Likes and dislikes of users. The interactions of a user are ordered by time and, for equal times, in the order in
// which they were added.
class LINN_EXPORT Interactions {
 public:
  Interactions();
  ~Interactions();
  Interactions(Interactions&& other) noexcept;
  Interactions& operator=(Interactions&& other) noexcept;

  // Identifiers are non-empty text without control characters; anything else throws InputError and adds nothing. If a
  // user rates an item twice, the first rating in the user's order counts.
  void like(std::string_view user, std::string_view item) { add(user, item, true); }
  void dislike(std::string_view user, std::string_view item) { add(user, item, false); }
  void add(std::string_view user, std::string_view item, bool liked, std::int64_t time = 0);
  // Adds many at once, in their order, and the names even where no interaction has them. Throws InputError, and adds
  // nothing, if the columns differ in length, a number is not the place of a name, or a name is not valid: the file of
  // the error is then "user" or "item", and its line the number of the first such interaction, counted from 1.
  void add(const InteractionColumns& columns);
  // Sets the display name of an item. Recommendations show it, and histories may refer to the item by it.
  void set_title(std::string_view item, std::string_view title);

  // The number of interactions added.
  std::size_t size() const;

 private:
  friend class Recommender;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// A rated item.
struct HistoryEvent {
  std::string item;  // identifier or title
  bool liked = true;
};
using History = std::vector<HistoryEvent>;  // oldest first

// Parses a history such as `+50,-181,"Toy Story (1995)"`: items separated by commas, + or no sign for liked, - for
// disliked. Throws InputError with the column for a syntax error.
LINN_EXPORT History parse_history(std::string_view text);

// A request for recommendations: needs a history, a user, or both.
struct RecommendationQuery {
  // The user's events so far; the user may be new. If absent, the history of `user` in the training data is used.
  std::optional<History> history = std::nullopt;
  // The identifier of a user. Models with user vectors make use of users known from training; an unknown user is an
  // error only if there is no history.
  std::string user = {};

  std::size_t count = 10;
  std::vector<std::string> exclude = {};                        // items not to recommend; unknown ones are ignored
  std::optional<std::vector<std::string>> only = std::nullopt;  // items to choose from; absent: all items
  bool include_seen = false;                                    // allow items of the history
  bool explain = true;                                          // give reasons, which takes longer
  bool skip_unknown = false;  // ignore unknown items in `history` and `only` instead of throwing InputError
  const std::atomic<bool>* stop = nullptr;
};

// Histories in columns, and for all of them what a RecommendationQuery says of one. Items and users are places in
// Recommender::items() and users().
struct RecommendationColumns {
  std::span<const std::int64_t> starts = {};  // of each history in `items`, and the end of the last; empty: the
                                              // histories of `users` in the training data
  std::span<const std::uint32_t> items = {};  // oldest first; if an item occurs twice, the first occurrence counts
  std::span<const std::uint8_t> liked = {};   // by event, 0: disliked; empty: all are liked
  std::span<const std::int64_t> users = {};   // by history, -1: not known; empty: none is known

  std::size_t count = 10;
  std::span<const std::uint32_t> exclude = {};
  std::optional<std::span<const std::uint32_t>> only = std::nullopt;
  bool include_seen = false;
  const std::atomic<bool>* stop = nullptr;
};

// How held-out likes are ranked.
struct EvaluationOptions {
  std::size_t candidates = 100;  // random items that the user did not like; 0: all of them
  // As in a RecommendationQuery, for held-out likes as well as for the items they are ranked among.
  std::vector<std::string> exclude = {};
  std::optional<std::vector<std::string>> only = std::nullopt;
  bool skip_unknown = false;  // ignore unknown items in `only` instead of throwing InputError
  std::size_t threads = 0;    // 0: one per core; the result does not depend on it
  const std::atomic<bool>* stop = nullptr;
};

// A recommended item, with reasons.
struct Recommendation {
  std::string item;
  std::string title;  // empty if the item has none
  double score = 0.0;
  std::optional<double> probability;  // that the user likes the item; LINN models over clauses only
  std::optional<double> truth;        // of "the item and this one", Sim(one AND other, T); similar() of LINN only
  std::optional<double> base;         // the score before the first event; only where the reasons have a share
  std::string words;                  // such as "Because you liked Alien"; empty if nothing argues for the item

  // An event of the history that argues for or against the item.
  struct Reason {
    std::string item;
    bool liked = false;
    std::optional<double> weight;  // the truth of "event and item", Sim(h and t, T); LINN models only
    double effect = 0.0;           // how much the item's lead over the average item falls without the event
    std::optional<double> share;   // LINN with form=fold: score = base + the shares of all reasons
  };
  std::vector<Reason> because;  // by falling effect; empty unless RecommendationQuery::explain
};

// Recommends items to users, given their history.
class LINN_EXPORT Recommender {
 public:
  // Trains a model on likes and dislikes. To select the best epoch, the last like of each user with more than five
  // likes is held back, along with everything after it; in the second form, the likes in `validation` are used instead.
  // Throws InputError if there is nothing to train on.
  static Recommender learn(const Interactions& interactions, const LearnOptions& options = {});
  static Recommender learn(const Interactions& interactions, const Interactions& validation,
                           const LearnOptions& options = {});
  // Trains a model on a data folder, as created by `linn import`, with its own validation data.
  static Recommender learn_folder(const std::filesystem::path& data, const LearnOptions& options = {});
  // Trains on with interactions that came later; this object stays as it is. Known users and items keep what was
  // learned about them; new ones are added. Each epoch has all new likes and a random share (the setting `replay`) of
  // the old ones; the last like of a user is held back as in learn() if it is a new one. Settings are those of this
  // model, and 10 epochs, with the changes in `options`, whose `model` and `preset` are not read. Models in closed form
  // are fitted anew to everything. Throws InputError if this object was loaded without histories.
  Recommender learn_more(const Interactions& later, const LearnOptions& options = {}) const;
  // Loads a run folder, as created by learn() or `linn train recommend`, or a model file. With `histories`, also reads
  // the data folder that the run was trained on, so that queries may omit the history of a known user; that requires a
  // run of learn_folder() or `linn train recommend`. Throws InputError if the model or the data is missing or invalid.
  static Recommender load(const std::filesystem::path& run_or_file, bool histories = false);
  ~Recommender();
  Recommender(Recommender&& other) noexcept;
  Recommender& operator=(Recommender&& other) noexcept;

  // Returns the best items for a query, best first: `count` of them, unless fewer are left. Throws InputError for an
  // unknown item, unless the query skips them, and if the query has neither a history nor a user with a known one.
  std::vector<Recommendation> recommend(const RecommendationQuery& query) const;
  // The same for many queries. The line of an InputError is the number of the query, counted from 1.
  std::vector<std::vector<Recommendation>> recommend(std::span<const RecommendationQuery> queries,
                                                     std::size_t threads = 0) const;
  // The same without reasons, into arrays with `count` places per history: places of items in items(), and their
  // scores; -1 and NaN where no more are left. Throws InputError if the columns do not fit together; its line is the
  // number of the history, counted from 1.
  void recommend(const RecommendationColumns& queries, std::span<std::int64_t> items, std::span<double> scores,
                 std::size_t threads = 0) const;
  // Returns the scores of the given items, in their order; higher is better. Reads only `history`, `user` and
  // `skip_unknown` of the query. Throws InputError if any of the items is unknown.
  std::vector<double> score(const RecommendationQuery& query, std::span<const std::string> items) const;
  // Explains one item, whether it would be recommended or not. Reads the same fields of the query as score().
  Recommendation explain(const RecommendationQuery& query, std::string_view item) const;

  // Returns the items that go with an item, best first: those a user would like of whom nothing but a like of the item
  // is known. Throws InputError if the item is unknown.
  std::vector<Recommendation> similar(std::string_view item, std::size_t count = 10) const;

  // Evaluates the recommender: holds out the last like of each user in `interactions`, ranks it among random items that
  // the user did not like, and returns "ndcg@10", "hit@1", "hit@10", "mrr", "auc" and "count". Ignores interactions
  // with unknown items. Throws InputError if there is nothing to hold out.
  std::map<std::string, double> evaluate(const Interactions& interactions, const EvaluationOptions& options = {}) const;

  // The same for what was held back in training: the test data of a data folder or, where there is none, what chose the
  // best epoch. Throws InputError if nothing was, or if the recommender was loaded without histories.
  std::map<std::string, double> evaluate(const EvaluationOptions& options = {}) const;

  // Identifiers of all items and of the users in training, and titles of the items (an empty list if there are none).
  const std::vector<std::string>& items() const;
  const std::vector<std::string>& users() const;
  const std::vector<std::string>& titles() const;

  // The name of the model, one of recommender_models().
  std::string_view model() const;
  // LearnOptions::notes, also of a recommender that was loaded.
  const std::map<std::string, std::string>& notes() const;
  // The outcome of learn(); empty if this object was loaded.
  const TrainingSummary& training() const;

  // Writes the model to a file for load(), atomically.
  void save(const std::filesystem::path& file) const;
  // Writes a run folder, as learn() does with LearnOptions::folder, but without a checkpoint. A recommender that was
  // trained on Interactions writes them into it, so that load() finds the histories. A run in the folder is replaced;
  // throws InputError if the folder has other contents.
  void save_run(const std::filesystem::path& folder) const;

 private:
  struct Impl;
  static Recommender learn(const InteractionData& data, const std::string& source, const LearnOptions& options,
                           const Impl* base = nullptr);
  explicit Recommender(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace linn
