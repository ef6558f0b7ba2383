#include "linn/recommend/protocol/top_items.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linn/base/error.h"

namespace linn {

namespace {

// The items of the catalogue that may be recommended, in order.
std::vector<ItemId> candidates_for(const Query& query, const TopItemsOptions& options, std::size_t items) {
  std::vector<bool> seen(items, false);
  if (!options.include_seen) {
    for (const Event& event : query.history) seen[event.item] = true;
  }
  std::vector<ItemId> candidates;
  candidates.reserve(options.choice.is_list() ? 0 : items);
  for (ItemId item = 0; item < items; ++item) {
    if (!seen[item] && options.choice.allows(item)) candidates.push_back(item);
  }
  return candidates;
}

// The best `count` of all.
std::vector<ScoredItem> best_of(std::vector<ScoredItem> all, std::size_t count) {
  // NaN has no place in an order.
  if (std::ranges::any_of(all, [](const ScoredItem& scored) { return std::isnan(scored.score); })) {
    throw Failure("the model's scores are not numbers: its weights are too large");
  }
  const std::size_t kept = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const ScoredItem& a, const ScoredItem& b) {
                              return a.score != b.score ? a.score > b.score : a.item < b.item;
                            });
  all.resize(kept);
  all.shrink_to_fit();  // callers keep many lists, whose memory must not be that of the catalogue
  return all;
}

}  // namespace

std::vector<std::vector<ScoredItem>> top_items_of(const RankingModel& model, std::span<const Query> queries,
                                                  const TopItemsOptions& options, ThreadPool& threads) {
  std::vector<std::vector<ScoredItem>> best;
  const std::size_t items = model.items();
  std::vector<float> scores;
  const bool score_all = !options.choice.is_list();
  if (score_all) {
    scores.resize(queries.size() * items);
    model.score_all_of(queries, scores, threads);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<ItemId> candidates = candidates_for(queries[i], options, items);
    std::vector<ScoredItem> all;
    all.reserve(candidates.size());
    if (score_all) {
      for (const ItemId item : candidates) all.push_back({item, scores[i * items + item]});
    } else {
      scores.resize(candidates.size());
      if (!candidates.empty()) model.score({&queries[i], 1}, candidates, candidates.size(), scores, threads);
      for (std::size_t k = 0; k < candidates.size(); ++k) all.push_back({candidates[k], scores[k]});
    }
    best.push_back(best_of(std::move(all), options.count));
  }
  return best;
}

std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, const TopItemsOptions& options,
                                  ThreadPool& threads) {
  return std::move(top_items_of(model, {&query, 1}, options, threads).front());
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
