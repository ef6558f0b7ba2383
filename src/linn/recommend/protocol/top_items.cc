#include "linn/recommend/protocol/top_items.h"

#include <algorithm>
#include <cmath>

namespace linn {

std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, const TopItemsOptions& options,
                                  ThreadPool& threads) {
  // A mask, since `only` may list an item twice.
  std::vector<bool> candidate(model.items(), options.only == nullptr);
  if (options.only != nullptr) {
    for (const ItemId item : *options.only) candidate[item] = true;
  }
  for (const ItemId item : options.exclude) candidate[item] = false;
  if (!options.include_seen) {
    for (const Event& event : query.history) candidate[event.item] = false;
  }

  std::vector<ScoredItem> all;
  if (options.only == nullptr) {
    std::vector<float> scores(model.items());
    model.score_all(query, scores, threads);
    for (ItemId item = 0; item < model.items(); ++item) {
      if (candidate[item]) all.push_back({item, scores[item]});
    }
  } else {
    std::vector<ItemId> items;
    for (ItemId item = 0; item < model.items(); ++item) {
      if (candidate[item]) items.push_back(item);
    }
    std::vector<float> scores(items.size());
    if (!items.empty()) model.score({&query, 1}, items, items.size(), scores, threads);
    for (std::size_t i = 0; i < items.size(); ++i) all.push_back({items[i], scores[i]});
  }
  // NaN has no place in an order.
  std::erase_if(all, [](const ScoredItem& scored) { return std::isnan(scored.score); });

  const std::size_t kept = std::min(options.count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const ScoredItem& a, const ScoredItem& b) {
                              return a.score != b.score ? a.score > b.score : a.item < b.item;
                            });
  all.resize(kept);
  all.shrink_to_fit();  // callers keep many lists, whose memory must not be that of the catalogue
  return all;
}

Similarities similar_items(const RankingModel& model, ItemId item, const TopItemsOptions& options,
                           ThreadPool& threads) {
  const Event like = {item, true};
  Query query;
  query.history = {&like, 1};
  Similarities similar;
  similar.items = top_items(model, query, options, threads);
  if (model.reasoning() == nullptr) return similar;
  std::vector<ItemId> others;
  for (const ScoredItem& scored : similar.items) others.push_back(scored.item);
  similar.truths = model.reasoning()->clause_truths(query.history, others, threads);
  return similar;
}

}  // namespace linn
