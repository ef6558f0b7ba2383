#include "linn/recommend/protocol/top_items.h"

#include <algorithm>
#include <cmath>

namespace linn {

std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, const TopItemsOptions& options,
                                  ThreadPool& threads) {
  std::vector<bool> seen(model.items(), false);
  if (!options.include_seen) {
    for (const Event& event : query.history) seen[event.item] = true;
  }
  std::vector<ItemId> candidates;
  for (ItemId item = 0; item < model.items(); ++item) {
    if (!seen[item] && options.choice.allows(item)) candidates.push_back(item);
  }

  std::vector<ScoredItem> all;
  all.reserve(candidates.size());
  if (options.choice.is_list()) {
    std::vector<float> scores(candidates.size());
    if (!candidates.empty()) model.score({&query, 1}, candidates, candidates.size(), scores, threads);
    for (std::size_t i = 0; i < candidates.size(); ++i) all.push_back({candidates[i], scores[i]});
  } else {
    std::vector<float> scores(model.items());
    model.score_all(query, scores, threads);
    for (const ItemId item : candidates) all.push_back({item, scores[item]});
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
