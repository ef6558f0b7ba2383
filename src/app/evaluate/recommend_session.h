// A trained recommender that answers queries about users and items by name: what `linn recommend` and `linn explain`
// share.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/evaluate/recommender_run.h"
#include "linn/base/json.h"
#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/history_text.h"
#include "linn/recommend/reasons/explanation.h"

namespace linn::app {

// A history, with the name of its user if one was given.
struct RecommendQuery {
  std::string user_name;       // may be empty
  std::optional<UserId> user;  // if the model knows the user
  std::vector<Event> history;
  std::vector<std::string> skipped;  // items that the model does not know

  Query for_model() const { return {user, history}; }
};

class RecommendSession {
 public:
  // Throws InputError if the folder has no recommender.
  RecommendSession(const std::string& run, std::size_t threads);

  const RankingModel& model() const { return *run_.trained.model; }
  RankingModel& model() { return *run_.trained.model; }
  const Catalogue& catalogue() const { return run_.trained.catalogue; }
  const ItemFinder& finder() const { return finder_; }
  ThreadPool& threads() { return threads_; }

  // A history such as +50,-181. The user may be empty or unknown to the model.
  RecommendQuery parse_query(std::string_view history, std::string_view user, UnknownItems unknown) const;
  // A user with all events in the data; an empty path means the data the run was trained on. Throws InputError if the
  // data has no such user.
  RecommendQuery user_query(const std::string& user, const std::string& data) const;
  // The same for data that have been read.
  RecommendQuery user_query(const std::string& user, const FittedData& fitted, const Histories& histories) const;
  // The data that the run was trained on.
  FittedData read_data() const { return run_.read_data(); }

  // Title and identifier: "Star Wars (1977) [50]".
  std::string long_name(ItemId item) const;
  // Whether scores are truth values before the sigmoid, so that a negative one means "rather not liked".
  bool scores_truths() const { return run_.trained.kind->scores_are_logits(*run_.trained.settings); }
  // The truth value that a score stands for, or the score itself.
  std::string score_text(float score) const;

  Json item_json(ItemId item, float score) const;
  // The same with `because` and `words`.
  Json item_json(ItemId item, float score, const Explanation& explanation) const;
  // "Because you liked X"; empty if nothing argues for the item.
  std::string words(const Explanation& explanation) const;

 private:
  RecommenderRun run_;
  ItemFinder finder_;
  ThreadPool threads_;
};

}  // namespace linn::app
