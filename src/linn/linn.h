// The library at a glance: knowledge in, answers out. Everything else in these folders is what this is made of, and can
// be used by itself.
//
//   linn::KnowledgeBase knowledge;
//   knowledge.add("rain & !umbrella -> wet = T");
//   knowledge.add("rain = T");
//   const linn::Reasoner reasoner = linn::Reasoner::infer(knowledge);  // or learn, from many equations
//   double p = reasoner.truth_of("wet | umbrella");
//
//   linn::Ratings ratings;
//   ratings.like("anna", "Alien");
//   ratings.dislike("anna", "Grease");
//   ...
//   const linn::Adviser adviser = linn::Adviser::learn(ratings);
//   for (const linn::Advice& advice : adviser.recommend("+Alien,-Grease", 5)) std::cout << advice.words << '\n';
//
// What is wrong with an input is said by linn::InputError (linn/base/error.h), what fails for other reasons by
// linn::Failure. Objects can be moved, not copied. Asking the same object from several threads at once is not allowed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/export.h"

namespace linn {

// How to learn. Settings are those of `linn train`: {"epochs", "40"}, {"d", "128"}.
struct LearnOptions {
  std::string preset = "best";  // or paper, authors
  std::vector<std::pair<std::string, std::string>> settings = {};
  std::uint64_t seed = 0;
  std::size_t threads = 0;  // 0: as many as there are cores
};

// Equations to learn from.
class LINN_EXPORT KnowledgeBase {
 public:
  KnowledgeBase();
  ~KnowledgeBase();
  KnowledgeBase(KnowledgeBase&& other) noexcept;
  KnowledgeBase& operator=(KnowledgeBase&& other) noexcept;

  // `EXPRESSION = VALUE`, where a value is T, F or a number between 0 and 1.
  void add(std::string_view equation);
  // All equations of a file: a knowledge base, a table, or a DIMACS CNF.
  void add_file(const std::filesystem::path& path);
  std::size_t size() const;

 private:
  friend class Reasoner;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Says how true expressions are.
class LINN_EXPORT Reasoner {
 public:
  // A network, for hundreds of equations and more; its modules go to school first, which takes some seconds. From 50
  // equations on, a tenth is held back to choose the best epoch by.
  static Reasoner learn(const KnowledgeBase& knowledge, const LearnOptions& options = {});
  // What Bayes' rule says, by Gibbs sampling over all assignments: the tool for few equations. `wrong` is the share of
  // labels that may be wrong; one in a thousand at least, so that sampling can move.
  static Reasoner infer(const KnowledgeBase& knowledge, double wrong = 0.0, std::uint64_t seed = 0);
  // A run folder of `linn train equations`, or the model file in it.
  static Reasoner load(const std::filesystem::path& path);
  ~Reasoner();
  Reasoner(Reasoner&& other) noexcept;
  Reasoner& operator=(Reasoner&& other) noexcept;

  // How true an expression over known variables is, in [0, 1].
  double truth_of(std::string_view expression) const;

  struct Variable {
    std::string name;
    double truth = 0.0;
  };
  std::vector<Variable> variables() const;

  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  explicit Reasoner(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Likes and dislikes to learn from, those of each user in the order in which they happened.
class LINN_EXPORT Ratings {
 public:
  Ratings();
  ~Ratings();
  Ratings(Ratings&& other) noexcept;
  Ratings& operator=(Ratings&& other) noexcept;

  // Of an item that a user rates twice the first counts.
  void like(std::string_view user, std::string_view item);
  void dislike(std::string_view user, std::string_view item);
  std::size_t size() const;

 private:
  friend class Adviser;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// An item that is recommended, and why.
struct LINN_EXPORT Advice {
  std::string item;
  std::string title;  // empty where the data has none
  double score = 0.0;
  std::string words;  // "Because you liked Alien"; empty where nothing argues for it

  struct Reason {
    std::string item;
    bool liked = false;
    double effect = 0.0;  // by how much the item's lead over an average item falls without it
  };
  std::vector<Reason> reasons;  // the best argument for the item first, the best against it last
};

// Says what somebody may like next.
class LINN_EXPORT Adviser {
 public:
  static Adviser learn(const Ratings& ratings, const LearnOptions& options = {});
  // A run folder of `linn train recommend`, or the model file in it.
  static Adviser load(const std::filesystem::path& path);
  ~Adviser();
  Adviser(Adviser&& other) noexcept;
  Adviser& operator=(Adviser&& other) noexcept;

  // For a history as `linn recommend` takes it, the oldest first: +50,-181,"Toy Story (1995)". Whoever it belongs to
  // need not have been there in training. What stands in it is not recommended.
  std::vector<Advice> recommend(std::string_view history, std::size_t count = 10) const;
  // Why one item, whether it would be recommended or not.
  Advice explain(std::string_view history, std::string_view item) const;

  void save(const std::filesystem::path& file) const;

 private:
  struct Impl;
  explicit Adviser(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace linn
