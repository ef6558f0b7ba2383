// The answers of a recommender, and their JSON: what `linn recommend`, `linn explain` and `linn similar` print and the
// service sends.
#pragma once

#include <vector>

#include "app/evaluate/recommend_session.h"
#include "linn/recommend/protocol/top_items.h"

namespace linn::app {

// The items recommended for one history.
struct RecommendedItems {
  RecommendQuery query;
  std::vector<ScoredItem> items;
  std::vector<Explanation> explanations;  // of the items in order, or none
};

RecommendedItems recommend(const RecommendSession& session, RecommendQuery query, const TopItemsOptions& options,
                           bool explained, ThreadPool& threads);
Json to_json(const RecommendSession& session, const RecommendedItems& result);

// Why or why not an item is recommended.
Explanation explain_item(const RecommendSession& session, const RecommendQuery& query, ItemId item,
                         ThreadPool& threads);
Json to_json(const RecommendSession& session, const RecommendQuery& query, const Explanation& explanation);

// The items that go with an item.
Json to_json(const RecommendSession& session, ItemId item, const Similarities& similar);

}  // namespace linn::app
