// Explains a recommendation: which events of the history argue for the item, and which against it.
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
  // The truth of "this event and the item", Sim(h and t, T), with h negated if disliked. LINN only.
  std::optional<float> weight;
  // How much the score falls if the event is removed from the history. If it is the only event that LINN reads, this is
  // the whole score, since a score of zero means neither true nor false.
  float drop = 0.0F;
  // How much the item's lead over the average item falls: positive if the event argues for the item, negative if
  // against it. Models are trained to rank, so the scores of a history may all be high or low; what an event does to
  // all items alike is no argument for any of them.
  float effect = 0.0F;
  // For models that read event by event: how much the event raised the score as it was read. The score is the base plus
  // all shares.
  std::optional<float> share = std::nullopt;
};

// Decided by the effect, unless it is negligible compared to Explanation::scale(). An event with which the item is true
// never argues against it, even if it does more for other items; events that have a share have no such truth.
enum class Argues : std::uint8_t { kFor, kAgainst, kNeither };
Argues argues(const Reason& reason, float scale);

struct Explanation {
  ItemId item = 0;
  float score = 0.0F;
  std::optional<float> base;    // the score without the events, if reasons have shares
  std::vector<Reason> reasons;  // by falling effect: the best argument for the item first, the best against it last

  // How much is at stake: the size of the score or, where reasons have shares, the sum of their sizes.
  float scale() const;
};

// One explanation per item. Covers the events in the window of LINN; for other models, the whole history.
std::vector<Explanation> explain(const RankingModel& model, const Query& query, std::span<const ItemId> items,
                                 ThreadPool& threads);

// The best arguments for an item, at most `most`. If several events argue for it equally, removing one of them has no
// effect; then it is the event with which the item is truest, provided that it is true.
std::vector<Reason> best_arguments(const Explanation& explanation, std::size_t most);

// "Because you liked X and Y and did not like Z"; empty if nothing argues for the item. `name` maps an item to its
// name.
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
