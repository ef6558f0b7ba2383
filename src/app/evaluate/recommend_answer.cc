#include "app/evaluate/recommend_answer.h"

#include <utility>

namespace linn::app {

RecommendedItems recommend(const RecommendSession& session, RecommendQuery query, const TopItemsOptions& options,
                           bool explained, ThreadPool& threads) {
  RecommendedItems result{std::move(query), {}, {}};
  result.items = top_items(session.model(), result.query.for_model(), options, threads);
  if (explained) {
    std::vector<ItemId> items;
    for (const ScoredItem& scored : result.items) items.push_back(scored.item);
    result.explanations = explain(session.model(), result.query.for_model(), items, threads);
  }
  return result;
}

Json to_json(const RecommendSession& session, const RecommendedItems& result) {
  Json items = Json::array();
  for (std::size_t i = 0; i < result.items.size(); ++i) {
    const auto& [item, score] = result.items[i];
    items.push_back(result.explanations.empty() ? session.item_json(item, score)
                                                : session.item_json(item, score, result.explanations[i]));
  }
  Json object = Json::object();
  if (!result.query.user_name.empty()) object["user"] = result.query.user_name;
  object["items"] = std::move(items);
  if (!result.query.skipped.empty()) object["skipped"] = result.query.skipped;
  return object;
}

Explanation explain_item(const RecommendSession& session, const RecommendQuery& query, ItemId item,
                         ThreadPool& threads) {
  return explain(session.model(), query.for_model(), {&item, 1}, threads).front();
}

Json to_json(const RecommendSession& session, const RecommendQuery& query, const Explanation& explanation) {
  Json object = session.item_json(explanation.item, explanation.score, explanation);
  if (!query.skipped.empty()) object["skipped"] = query.skipped;
  return object;
}

Json to_json(const RecommendSession& session, ItemId item, const Similarities& similar) {
  Json items = Json::array();
  for (std::size_t i = 0; i < similar.items.size(); ++i) {
    const auto& [other, score] = similar.items[i];
    items.push_back({{"item", session.catalogue().items.name(other)},
                     {"title", session.catalogue().title(other)},
                     {"score", score}});
    if (!similar.truths.empty()) items.back()["truth"] = similar.truths[i];
  }
  return {{"item", session.catalogue().items.name(item)}, {"items", std::move(items)}};
}

}  // namespace linn::app
