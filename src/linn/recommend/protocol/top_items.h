// The best items of a catalogue for somebody.
#pragma once

#include <cstddef>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct ScoredItem {
  ItemId item = 0;
  float score = 0.0F;

  friend bool operator==(const ScoredItem&, const ScoredItem&) = default;
};

// The best first; of equal scores the lower number goes first. What stands in the history is left out unless asked for.
// There are fewer than `count` where the catalogue has not as many.
std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, std::size_t count, bool include_seen,
                                  ThreadPool& threads);

}  // namespace linn
