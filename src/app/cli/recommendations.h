// What the commands that recommend and explain share: who asks, and how answers look.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "app/cli/recommend_runs.h"
#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/reasons/explanation.h"

namespace linn::app {

// Options that say who asks.
struct QueryOptions {
  std::string history;
  bool history_given = false;
  std::string user;
  std::string data;  // where the history of a user is looked up
  UnknownItems unknown = UnknownItems::kRefuse;
};
void add_query_options(CLI::App& command, QueryOptions& options);

// A history and the user, where the model knows him.
struct NamedQuery {
  std::string name;  // of the user, as given
  std::optional<UserId> user;
  std::vector<Event> history;
  std::vector<std::string> skipped;  // items that are not known

  Query query() const { return {user, history}; }
};

// A trained recommender that is asked by name.
class Answerer {
 public:
  Answerer(const std::string& run, std::size_t threads);

  const RankingModel& model() const { return *run_.loaded.model; }
  RankingModel& model() { return *run_.loaded.model; }
  const Catalogue& catalogue() const { return run_.loaded.catalogue; }
  const ItemFinder& finder() const { return finder_; }
  ThreadPool& threads() { return threads_; }

  // From the options; a user without a history has the one of the data that the run was trained on, or of --data.
  // Throws InputError.
  NamedQuery find(const QueryOptions& options) const;
  // From a written history and, if not empty, the name of a user.
  NamedQuery find(std::string_view history, std::string_view user, UnknownItems unknown) const;

  // Complains about skipped items, if there are any.
  static void remark_skipped(const NamedQuery& someone, const Program& program);

  // "Star Wars (1977)"; empty for an item without one.
  std::string title(ItemId item) const;
  // The title, or the identifier of an item without one.
  const std::string& name(ItemId item) const;
  // The same with the identifier behind it.
  std::string long_name(ItemId item) const;
  // LINN scores are truths; below zero an item is rather not liked.
  bool is_linn() const { return is_linn_; }
  // The score, and for LINN the truth that it stands for.
  std::string score_text(float score) const;

  Json item_json(ItemId item, float score) const;
  Json because_json(const Explanation& explanation) const;
  std::string words(const Explanation& explanation) const;

 private:
  RecommendRun run_;
  ItemFinder finder_;
  ThreadPool threads_;
  bool is_linn_;
};

}  // namespace linn::app
