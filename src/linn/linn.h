// The public interface of linn: knowledge in, answers out.
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
//     const linn::Recommender recommender = linn::Recommender::learn(ratings, {.settings = {{"epochs", 20}}});
//     const linn::History history = {{"Alien"}, {"Grease", false}};  // liked, disliked
//     for (const linn::Recommendation& next : recommender.recommend({.history = history})) {
//       std::cout << next.item << "  " << next.words << '\n';  // Solaris  Because you liked Alien ...
//     }
//   }
//
// Errors. Every call may throw InputError for input that cannot be used (an invalid expression, an unknown item, a
// setting out of range) and Failure for anything else that goes wrong (a full disk). Both are in linn/base/error.h. The
// library never prints, exits or starts processes.
//
// Threads. A Reasoner and a Recommender are immutable: any number of threads may ask one of them at once. Calls with
// one question work on the calling thread; calls with many use `threads` threads, all cores by default, and the answers
// do not depend on how many. KnowledgeBase and Interactions belong to one thread at a time. All objects can be moved,
// not copied.
#pragma once

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

struct InteractionData;

// ---------------------------------------------------------------------------------------------------------------------
// Learning

// The value of a setting: true or false, a number, or a word.
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
  std::size_t done = 0;    // steps
  std::size_t total = 0;
  double loss = 0.0;  // mean loss of the task so far in this epoch
};

// The result of one epoch.
struct TrainedEpoch {
  std::size_t epoch = 0;  // from 1
  double loss = 0.0;      // of the task, summed over the examples
  double seconds = 0.0;
  std::map<std::string, double> validation;  // such as "accuracy" or "ndcg@10"; empty without validation data
};

// How to learn.
struct LearnOptions {
  std::string model = "linn";                         // see reasoner_models() and recommender_models()
  std::string preset = "best";                        // or "paper", "authors"
  std::map<std::string, SettingValue> settings = {};  // changes to the preset: {{"epochs", 40}, {"loss", "bpr"}}
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: one per core; the result does not depend on it

  // A run folder like those of `linn train`, with the best model, the metrics and a checkpoint; empty: nothing is
  // written.
  std::filesystem::path folder = {};
  bool resume = false;  // continue the run in the folder, if there is one; its settings must be the same except for
                        // `epochs` and `patience`
  bool force = false;   // replace a run in the folder

  // Both are called on the thread that called learn(). `progress` is called after every step; return false to cancel:
  // learn() returns the best model so far, and a run in a folder can be resumed.
  std::function<bool(const TrainingProgress&)> progress = nullptr;
  std::function<void(const TrainedEpoch&)> epoch = nullptr;
};

// The outcome of a training.
struct TrainingSummary {
  std::size_t best_epoch = 0;      // its model was kept; 0: none was trained
  std::size_t epochs = 0;          // in total, including those before a resume
  double seconds_per_epoch = 0.0;  // training alone
  bool cancelled = false;
  std::map<std::string, double> validation;  // metrics of the model that was kept; empty without validation data
  std::vector<TrainedEpoch> history;         // the epochs trained by this call
};

// A setting of a model.
struct SettingInfo {
  std::string name;
  std::string help;
  std::string range;  // "0 to 1", "relu|tanh"
  std::string value;  // in the preset
};

// The kinds of models, the default first.
LINN_EXPORT std::vector<std::string> reasoner_models();
LINN_EXPORT std::vector<std::string> recommender_models();
// All settings of a model with their values in a preset, for data of the size of the paper's smaller sets.
LINN_EXPORT std::vector<SettingInfo> reasoner_settings(std::string_view model, std::string_view preset = "best");
LINN_EXPORT std::vector<SettingInfo> recommender_settings(std::string_view model, std::string_view preset = "best");

// ---------------------------------------------------------------------------------------------------------------------
// Logic

// The simplified disjunctive ("dnf") or conjunctive ("cnf") normal form of an expression. Throws InputError with line
// and column if the expression is invalid.
LINN_EXPORT std::string normalize(std::string_view expression, std::string_view form = "dnf");

// Equations to learn from.
class LINN_EXPORT KnowledgeBase {
 public:
  KnowledgeBase();
  ~KnowledgeBase();
  KnowledgeBase(KnowledgeBase&& other) noexcept;
  KnowledgeBase& operator=(KnowledgeBase&& other) noexcept;

  // `EXPRESSION = VALUE`, where VALUE is T, F or a number from 0 to 1. If it is invalid, throws InputError and adds
  // nothing.
  void add(std::string_view equation);
  // The same in two parts; `truth` must be from 0 to 1.
  void add(std::string_view expression, double truth);
  // All equations of a file: a knowledge base, a table, or a DIMACS CNF. Throws InputError naming file and line.
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

// A trained model that tells how true expressions are.
class LINN_EXPORT Reasoner {
 public:
  // Trains a model on at least one equation. A network needs hundreds of equations; with the preset "best" its modules
  // are pretrained first, which takes some seconds. From 50 equations on, a tenth is held back to choose the best
  // epoch.
  static Reasoner learn(const KnowledgeBase& knowledge, const LearnOptions& options = {});
  // The exact reasoner: Bayes' rule by Gibbs sampling over all assignments. The tool for a few equations, and the
  // reference for all other models. `label_noise` is the share of wrong labels, from 0 to 0.5; sampling assumes at
  // least 0.001.
  static Reasoner infer(const KnowledgeBase& knowledge, double label_noise = 0.0, std::uint64_t seed = 0);
  // Loads a run folder of `linn train equations` or learn(), or a model file.
  static Reasoner load(const std::filesystem::path& run_or_file);
  ~Reasoner();
  Reasoner(Reasoner&& other) noexcept;
  Reasoner& operator=(Reasoner&& other) noexcept;

  // How true an expression is, from 0 to 1. Throws InputError if it is invalid or has a variable that the model does
  // not know.
  double truth_of(std::string_view expression) const;
  // The same for many expressions, on `threads` threads (0: all cores). The line of an InputError is the number of the
  // expression, from 1.
  std::vector<double> truth_of(std::span<const std::string> expressions, std::size_t threads = 0) const;

  struct Variable {
    std::string name;
    double truth = 0.0;
  };
  // All variables with their truth, in the order of their vectors.
  std::vector<Variable> variables() const;
  // The vectors of the variables, one row of width() floats each; empty for a model without vectors, and those of the
  // first network of an ensemble. Valid as long as the reasoner.
  std::span<const float> vectors() const;
  std::size_t width() const;

  // The outcome of learn(); all zero for a reasoner that was loaded or inferred.
  const TrainingSummary& training() const;

  // Writes the model to a file that load() reads. The file appears whole or not at all.
  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  explicit Reasoner(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

// ---------------------------------------------------------------------------------------------------------------------
// Recommendation

// Likes and dislikes to learn from. The order in which a user's ratings are added is their history, unless they have
// times.
class LINN_EXPORT Interactions {
 public:
  Interactions();
  ~Interactions();
  Interactions(Interactions&& other) noexcept;
  Interactions& operator=(Interactions&& other) noexcept;

  // Identifiers are not empty and have no control characters; otherwise InputError. If a user rates an item twice, the
  // first rating counts.
  void like(std::string_view user, std::string_view item) { add(user, item, true); }
  void dislike(std::string_view user, std::string_view item) { add(user, item, false); }
  // With times, a user's ratings are sorted by time; ratings with equal times keep the order of adding.
  void add(std::string_view user, std::string_view item, bool liked, std::int64_t time = 0);
  // A name for people: recommendations show it, and histories may use it.
  void set_title(std::string_view item, std::string_view title);

  std::size_t size() const;

 private:
  friend class Recommender;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// An event of a history: an item, by identifier or title, and whether the user liked it.
struct HistoryEvent {
  std::string item;
  bool liked = true;
};
using History = std::vector<HistoryEvent>;  // oldest first

// Parses a history such as `+50,-181,"Toy Story (1995)"`: items separated by commas, - before disliked ones. Throws
// InputError with the column.
LINN_EXPORT History parse_history(std::string_view text);

// A question to a recommender.
struct RecommendationQuery {
  // The user's events so far; the user need not be known from training. Without a history, the one that `user` has in
  // the training data.
  std::optional<History> history = std::nullopt;
  // A user known from training; models with user vectors add theirs. With a history, an unknown user is no error.
  std::string user = {};

  std::size_t count = 10;
  std::vector<std::string> exclude = {};                        // never recommend these items
  std::optional<std::vector<std::string>> only = std::nullopt;  // choose from these items only
  bool include_seen = false;                                    // also recommend items of the history
  bool explain = true;                                          // give reasons; false is faster
  bool skip_unknown = false;  // skip items that the model does not know, instead of throwing InputError
};

// An item that is recommended, and why.
struct Recommendation {
  std::string item;
  std::string title;  // empty if the data has none
  double score = 0.0;
  std::optional<double> probability;  // how true the model considers a like; only models that reason
  std::string words;                  // "Because you liked Alien"; empty if nothing argues for it

  struct Reason {
    std::string item;
    bool liked = false;
    std::optional<double> weight;  // Sim(event and item, T); only models that reason
    double effect = 0.0;           // how much the item's lead over an average item falls without the event
  };
  std::vector<Reason> because;  // the best argument for the item first, the best against it last
};

// A trained model that tells what a user may like next.
class LINN_EXPORT Recommender {
 public:
  // Learns from likes and dislikes. The last like of each user with more than five, and what follows it, is held back
  // to choose the best epoch; in the second form, the likes in `validation` choose it.
  static Recommender learn(const Interactions& interactions, const LearnOptions& options = {});
  static Recommender learn(const Interactions& interactions, const Interactions& validation,
                           const LearnOptions& options = {});
  // Learns from a data folder, such as those of `linn import`.
  static Recommender learn_folder(const std::filesystem::path& data, const LearnOptions& options = {});
  // Loads a run folder of `linn train recommend` or learn(), or a model file. `histories`: also reads the data folder
  // that the run was trained on, so that queries for known users need no history; throws InputError if there is none.
  static Recommender load(const std::filesystem::path& run_or_file, bool histories = false);
  ~Recommender();
  Recommender(Recommender&& other) noexcept;
  Recommender& operator=(Recommender&& other) noexcept;

  // The best items, best first: `count` of them, or fewer if no more are left.
  std::vector<Recommendation> recommend(const RecommendationQuery& query) const;
  // The same for many queries, on `threads` threads (0: all cores). The line of an InputError is the number of the
  // query, from 1.
  std::vector<std::vector<Recommendation>> recommend(std::span<const RecommendationQuery> queries,
                                                     std::size_t threads = 0) const;
  // The scores of some items, in their order. Uses only `history`, `user` and `skip_unknown` of the query.
  std::vector<double> score(const RecommendationQuery& query, std::span<const std::string> items) const;
  // The reasons for and against an item, whether it would be recommended or not.
  Recommendation explain(const RecommendationQuery& query, std::string_view item) const;

  // Holds out each user's last like and ranks it among `candidates` random items that the user never liked (0: among
  // all items). Returns "ndcg@10", "hit@1", "hit@10", "mrr", "auc" and "count".
  std::map<std::string, double> evaluate(const Interactions& interactions, std::size_t candidates = 100,
                                         std::size_t threads = 0) const;

  // The identifiers of all items and of the users in training, and the titles of the items (empty if there are none).
  const std::vector<std::string>& items() const;
  const std::vector<std::string>& users() const;
  const std::vector<std::string>& titles() const;

  // The kind of model, and the outcome of learn(), which is all zero for a recommender that was loaded.
  std::string_view model() const;
  const TrainingSummary& training() const;

  // Writes the model to a file that load() reads. The file appears whole or not at all.
  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  static Recommender learn(const InteractionData& data, const std::string& source, const LearnOptions& options);
  explicit Recommender(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace linn
