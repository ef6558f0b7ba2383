// The best items of a catalogue for a query.
#pragma once

#include <cstddef>
#include <vector>

#include "linn/recommend/protocol/item_choice.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

struct ScoredItem {
  ItemId item = 0;
  float score = 0.0F;

  friend bool operator==(const ScoredItem&, const ScoredItem&) = default;
};

struct TopItemsOptions {
  std::size_t count = 10;
  bool include_seen = false;  // allow items of the history
  ItemChoice choice = {};
};

// Best first, ties by the lower number. Fewer than `count` only if no more are left. Throws Failure if a score is NaN.
std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, const TopItemsOptions& options,
                                  ThreadPool& threads);

// The same for several queries; together they may be answered faster.
std::vector<std::vector<ScoredItem>> top_items_of(const RankingModel& model, std::span<const Query> queries,
                                                  const TopItemsOptions& options, ThreadPool& threads);

// Items that go with an item: those a user would like of whom nothing but a like of the item is known.
struct Similarities {
  std::vector<ScoredItem> items;  // best first, without the item itself
  std::vector<float> truths;      // LINN only: of each, Sim(item AND other, T)
};
Similarities similar_items(const RankingModel& model, ItemId item, const TopItemsOptions& options, ThreadPool& threads);

}  // namespace linn
