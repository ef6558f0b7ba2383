#include "linn/recommend/protocol/top_items.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace linn {

namespace {

// A mask, since `only` may list an item twice.
std::vector<bool> candidates_for(const Query& query, const TopItemsOptions& options, std::size_t items) {
  std::vector<bool> candidate(items, options.only == nullptr);
  if (options.only != nullptr) {
    for (const ItemId item : *options.only) candidate[item] = true;
  }
  for (const ItemId item : options.exclude) candidate[item] = false;
  if (!options.include_seen) {
    for (const Event& event : query.history) candidate[event.item] = false;
  }
  return candidate;
}

// The best `count` of all.
std::vector<ScoredItem> best_of(std::vector<ScoredItem> all, std::size_t count) {
  // NaN has no place in an order.
  std::erase_if(all, [](const ScoredItem& scored) { return std::isnan(scored.score); });
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
  if (options.only == nullptr) {
    scores.resize(queries.size() * items);
    model.score_all_of(queries, scores, threads);
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const std::vector<bool> candidate = candidates_for(queries[i], options, items);
    std::vector<ScoredItem> all;
    if (options.only == nullptr) {
      all.reserve(items);
      for (ItemId item = 0; item < items; ++item) {
        if (candidate[item]) all.push_back({item, scores[i * items + item]});
      }
    } else {
      std::vector<ItemId> chosen;
      for (ItemId item = 0; item < items; ++item) {
        if (candidate[item]) chosen.push_back(item);
      }
      scores.resize(chosen.size());
      if (!chosen.empty()) model.score({&queries[i], 1}, chosen, chosen.size(), scores, threads);
      for (std::size_t k = 0; k < chosen.size(); ++k) all.push_back({chosen[k], scores[k]});
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
