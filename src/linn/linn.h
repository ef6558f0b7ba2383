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
// Errors. Every call may throw InputError for input that cannot be used (a broken expression, an unknown item, a setting
// out of range) and Failure for what went wrong otherwise (a full disk). Both are in linn/base/error.h. The library never
// prints, exits or starts processes.
//
// Threads. A Reasoner and a Recommender are immutable: any number of threads may ask one of them at once. Calls that take
// one question work on the calling thread; calls that take many share them out over `threads` threads, all cores by
// default, and their answers do not depend on how many there are. KnowledgeBase and Interactions belong to one thread at
// a time. All objects can be moved, not copied.
#pragma once

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
  SettingValue(bool value);              // NOLINT(google-explicit-constructor)
  SettingValue(int value);               // NOLINT(google-explicit-constructor)
  SettingValue(std::int64_t value);      // NOLINT(google-explicit-constructor)
  SettingValue(std::uint64_t value);     // NOLINT(google-explicit-constructor)
  SettingValue(double value);            // NOLINT(google-explicit-constructor)
  SettingValue(const char* value);       // NOLINT(google-explicit-constructor)
  SettingValue(std::string value);       // NOLINT(google-explicit-constructor)
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// What is known of a training while it goes on.
struct TrainingProgress {
  std::string_view stage;  // "pretraining" or "training"
  std::size_t done = 0;    // steps
  std::size_t total = 0;
  double loss = 0.0;  // mean of the task's loss so far in this epoch
};

// An epoch that was trained.
struct TrainedEpoch {
  std::size_t epoch = 0;  // from 1
  double loss = 0.0;      // of the task, summed over the examples
  double seconds = 0.0;
  std::map<std::string, double> validation;  // such as "accuracy" or "ndcg@10"; empty without validation data
};

// How to learn.
struct LearnOptions {
  std::string model = "linn";    // see reasoner_models() and recommender_models()
  std::string preset = "best";   // or "paper", "authors"
  std::map<std::string, SettingValue> settings = {};  // changes to the preset: {{"epochs", 40}, {"loss", "bpr"}}
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: as many as there are cores; the result does not depend on it

  // A run folder, as `linn train` makes it, that keeps the best model, the metrics and what is needed to resume; empty:
  // nothing is written.
  std::filesystem::path folder = {};
  bool resume = false;  // go on with the run in the folder if there is one; settings must be the same but for `epochs`
                        // and `patience`
  bool force = false;   // replace a run in the folder

  // Both are called from the thread that called learn(). `progress` is called after every step; false cancels: the best
  // model so far is returned, and a run in a folder can be resumed.
  std::function<bool(const TrainingProgress&)> progress = nullptr;
  std::function<void(const TrainedEpoch&)> epoch = nullptr;
};

// How learning went.
struct TrainingSummary {
  std::size_t best_epoch = 0;       // whose model was kept; 0: none was trained
  std::size_t epochs = 0;           // trained in all, before a resume too
  double seconds_per_epoch = 0.0;   // training alone
  bool cancelled = false;
  std::map<std::string, double> validation;  // metrics of the model that was kept; empty without validation data
  std::vector<TrainedEpoch> history;         // the epochs that this call trained
};

// A setting of a model, for listing and checking.
struct SettingInfo {
  std::string name;
  std::string help;
  std::string range;  // "0 to 1", "relu|tanh"
  std::string value;  // in the preset
};

// The models that can be learned, the default first.
LINN_EXPORT std::vector<std::string> reasoner_models();
LINN_EXPORT std::vector<std::string> recommender_models();
// All settings of a model in a preset, for about as many equations or ratings as the paper's smaller data sets have.
LINN_EXPORT std::vector<SettingInfo> reasoner_settings(std::string_view model, std::string_view preset = "best");
LINN_EXPORT std::vector<SettingInfo> recommender_settings(std::string_view model, std::string_view preset = "best");

// ---------------------------------------------------------------------------------------------------------------------
// Logic

// The disjunctive ("dnf") or conjunctive ("cnf") normal form of an expression, simplified. Throws InputError with line and
// column where the expression is broken.
LINN_EXPORT std::string normalize(std::string_view expression, std::string_view form = "dnf");

// Equations to learn from.
class LINN_EXPORT KnowledgeBase {
 public:
  KnowledgeBase();
  ~KnowledgeBase();
  KnowledgeBase(KnowledgeBase&& other) noexcept;
  KnowledgeBase& operator=(KnowledgeBase&& other) noexcept;

  // `EXPRESSION = VALUE`, where a value is T, F or a number from 0 to 1. Throws InputError, and adds nothing, where it is
  // broken.
  void add(std::string_view equation);
  // The same in two parts; `truth` must be from 0 to 1.
  void add(std::string_view expression, double truth);
  // All equations of a file: a knowledge base, a table, or a DIMACS CNF. Throws InputError naming file and line.
  void add_file(const std::filesystem::path& path);

  // How many equations there are.
  std::size_t size() const;
  // The names of all variables, in the order in which they were first met.
  std::vector<std::string> variables() const;

 private:
  friend class Reasoner;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Says how true expressions are.
class LINN_EXPORT Reasoner {
 public:
  // Learns a network or another model from equations, at least one. The network is for hundreds of equations and more:
  // under the preset "best" its modules are pretrained first, which takes some seconds. From 50 equations on, a tenth is
  // held back to choose the best epoch by.
  static Reasoner learn(const KnowledgeBase& knowledge, const LearnOptions& options = {});
  // The reference answer by Bayes' rule, with Gibbs sampling over all assignments: the tool for few equations.
  // `label_noise` is the share of labels that may be wrong, from 0 to 0.5; sampling uses at least 0.001.
  static Reasoner infer(const KnowledgeBase& knowledge, double label_noise = 0.0, std::uint64_t seed = 0);
  // A run folder of `linn train equations` or learn(), or the model file in it.
  static Reasoner load(const std::filesystem::path& run_or_file);
  ~Reasoner();
  Reasoner(Reasoner&& other) noexcept;
  Reasoner& operator=(Reasoner&& other) noexcept;

  // How true an expression is, from 0 to 1. Throws InputError where it is broken or names a variable that the model does
  // not know.
  double truth_of(std::string_view expression) const;
  // The same for many, on so many threads (0: all cores). An InputError names the number of the expression, from 1, as its
  // line.
  std::vector<double> truth_of(std::span<const std::string> expressions, std::size_t threads = 0) const;

  struct Variable {
    std::string name;
    double truth = 0.0;
  };
  // All variables, in the order of their vectors, with how true each is.
  std::vector<Variable> variables() const;
  // The vectors of the variables, one row of width() floats each; empty for a model without vectors. Of an ensemble, those
  // of its first network. Valid as long as the reasoner.
  std::span<const float> vectors() const;
  std::size_t width() const;

  // How learning went; all zero for a reasoner that was loaded or inferred.
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

// Likes and dislikes to learn from, those of each user in the order in which they are added, unless times are given.
class LINN_EXPORT Interactions {
 public:
  Interactions();
  ~Interactions();
  Interactions(Interactions&& other) noexcept;
  Interactions& operator=(Interactions&& other) noexcept;

  // Identifiers are any text without control characters that is not empty; otherwise InputError. If a user rates an item
  // twice, the first rating counts.
  void like(std::string_view user, std::string_view item) { add(user, item, true); }
  void dislike(std::string_view user, std::string_view item) { add(user, item, false); }
  // With a time, a user's interactions are taken in the order of time, and in the order of adding where times are equal.
  void add(std::string_view user, std::string_view item, bool liked, std::int64_t time = 0);
  // What people call an item; shown in recommendations, and histories may name the item by it.
  void set_title(std::string_view item, std::string_view title);

  std::size_t size() const;

 private:
  friend class Recommender;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// An event of a history: an item, by its identifier or its title, and whether it was liked.
struct HistoryEvent {
  std::string item;
  bool liked = true;
};
using History = std::vector<HistoryEvent>;  // oldest first

// "+50,-181,\"Toy Story (1995)\"" as a history: items by comma, - for disliked. Throws InputError with the column.
LINN_EXPORT History parse_history(std::string_view text);

// What is asked of a recommender.
struct RecommendationQuery {
  // The events so far. Whoever they belong to need not have been there in training. Without one, the history that `user`
  // has in the data the recommender learned from.
  std::optional<History> history = std::nullopt;
  // A user known from training adds a vector of their own, where the model has such; unknown users are no error where
  // there is a history.
  std::string user = {};

  std::size_t count = 10;
  std::vector<std::string> exclude = {};                        // items that are not recommended
  std::optional<std::vector<std::string>> only = std::nullopt;  // items to choose from
  bool include_seen = false;                                    // recommend items of the history too
  bool explain = true;                                          // with reasons; without is faster
  bool skip_unknown = false;  // leave items out that the model does not know, instead of throwing InputError
};

// An item that is recommended, and why.
struct Recommendation {
  std::string item;
  std::string title;  // empty where the data has none
  double score = 0.0;
  std::optional<double> probability;  // how true the model thinks it is; of models that reason
  std::string words;                  // "Because you liked Alien"; empty where nothing argues for it

  struct Reason {
    std::string item;
    bool liked = false;
    std::optional<double> weight;  // Sim(event and item, T); of models that reason
    double effect = 0.0;           // by how much the item's lead over an average item falls without the event
  };
  std::vector<Reason> because;  // the best argument for the item first, the best against it last
};

// Says what somebody may like next.
class LINN_EXPORT Recommender {
 public:
  // Learns from likes and dislikes. The last like of each user who has more than five is held back to choose the best
  // epoch by, with what follows it; in the second form, each user's likes among `validation` are.
  static Recommender learn(const Interactions& interactions, const LearnOptions& options = {});
  static Recommender learn(const Interactions& interactions, const Interactions& validation,
                           const LearnOptions& options = {});
  // Learns from a data folder, as `linn import` makes it.
  static Recommender learn_folder(const std::filesystem::path& data, const LearnOptions& options = {});
  // A run folder of `linn train recommend` or learn(), or the model file in it. `histories`: reads the data that the run was
  // trained on too, so that known users can be asked for without a history; throws InputError where it is gone.
  static Recommender load(const std::filesystem::path& run_or_file, bool histories = false);
  ~Recommender();
  Recommender(Recommender&& other) noexcept;
  Recommender& operator=(Recommender&& other) noexcept;

  // The best items, best first: exactly `count` where that many are left.
  std::vector<Recommendation> recommend(const RecommendationQuery& query) const;
  // The same for many, on so many threads (0: all cores). An InputError names the number of the query, from 1, as its line.
  std::vector<std::vector<Recommendation>> recommend(std::span<const RecommendationQuery> queries,
                                                     std::size_t threads = 0) const;
  // The scores of some items, in their order; of query only `history`, `user` and `skip_unknown` count.
  std::vector<double> score(const RecommendationQuery& query, std::span<const std::string> items) const;
  // Why one item, whether it would be recommended or not.
  Recommendation explain(const RecommendationQuery& query, std::string_view item) const;

  // How well the held-out likes of data are ranked, each among so many random items that the user never liked (0: among all
  // items): "ndcg@10", "hit@1", "hit@10", "mrr", "auc", "count". Each user's last like of `interactions` is held out.
  std::map<std::string, double> evaluate(const Interactions& interactions, std::size_t candidates = 100,
                                         std::size_t threads = 0) const;

  // Identifiers of all items and of the users in training, and the titles of the items (empty where there are none).
  const std::vector<std::string>& items() const;
  const std::vector<std::string>& users() const;
  const std::vector<std::string>& titles() const;

  // The kind of model, and how learning went; all zero for a recommender that was loaded.
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
