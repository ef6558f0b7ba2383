// Why an item is recommended: which events of the history argue for it, and which against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct Reason {
  Event event;
  // How true the model thinks "this event and the item", Sim(h and t, T), h negated where it was disliked. Only LINN
  // says so.
  std::optional<float> weight;
  // By how much the score falls when the event is left out of the history. Of the only event of a history that LINN
  // reads it is the whole score, counted from zero, where an expression is neither true nor false.
  float drop = 0.0F;
  // By how much the item's lead over the average item falls: above zero the event argues for the item, below zero
  // against it. Models are taught to rank, so that all scores of a history may lie high or low together; what an event
  // does to all items alike is no argument for any.
  float effect = 0.0F;
};

// By its effect, where that is more than a little beside the score of the item. An event with which the item is true
// does not argue against it, though it may do more for other items.
enum class Argues : std::uint8_t { kFor, kAgainst, kNeither };
Argues argues(const Reason& reason, float score);

struct Explanation {
  ItemId item = 0;
  float score = 0.0F;
  std::vector<Reason> reasons;  // the best argument for the item first, the best against it last
};

// An explanation for each item. The events are those that the model reads: the window of LINN, for other models the
// whole history.
std::vector<Explanation> explain(const RankingModel& model, const Query& query, std::span<const ItemId> items,
                                 ThreadPool& threads);

// The best arguments for an item, at most so many. Where several events say the same, none of them alone is missed;
// then it is the one with which the item is truest, if it is true with it.
std::vector<Reason> best_arguments(const Explanation& explanation, std::size_t most);

// "Because you liked X and Y and did not like Z"; empty where nothing argues for the item. `name` gives an item's name.
template <class Name>
std::string in_words(const Explanation& explanation, std::size_t most, Name&& name) {
  std::string liked;
  std::string disliked;
  for (const Reason& reason : best_arguments(explanation, most)) {
    std::string& list = reason.event.liked ? liked : disliked;
    list += (list.empty() ? "" : reason.event.liked ? " and " : " or ") + std::string(name(reason.event.item));
  }
  if (liked.empty() && disliked.empty()) return {};
  std::string words = "Because you ";
  if (!liked.empty()) words += "liked " + liked;
  if (!liked.empty() && !disliked.empty()) words += " and ";
  if (!disliked.empty()) words += "did not like " + disliked;
  return words;
}

}  // namespace linn
