// The best items of a catalogue for a query.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct ScoredItem {
  ItemId item = 0;
  float score = 0.0F;

  friend bool operator==(const ScoredItem&, const ScoredItem&) = default;
};

struct TopItemsOptions {
  std::size_t count = 10;
  bool include_seen = false;                    // items of the history too
  std::span<const ItemId> exclude = {};         // never these
  const std::vector<ItemId>* only = nullptr;    // nothing but these; null: the whole catalogue
};

// The best first; of equal scores the lower number goes first. There are fewer than `count` only where no more are left.
std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, const TopItemsOptions& options,
                                  ThreadPool& threads);

}  // namespace linn
