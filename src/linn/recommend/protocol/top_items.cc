#include "linn/recommend/protocol/top_items.h"

#include <algorithm>
#include <cmath>

namespace linn {

std::vector<ScoredItem> top_items(const RankingModel& model, const Query& query, std::size_t count, bool include_seen,
                                  ThreadPool& threads) {
  std::vector<float> scores(model.items());
  model.score_all(query, scores, threads);
  std::vector<bool> left_out(model.items(), false);
  if (!include_seen) {
    for (const Event& event : query.history) left_out[event.item] = true;
  }
  std::vector<ScoredItem> all;
  all.reserve(model.items());
  for (ItemId item = 0; item < model.items(); ++item) {
    // What is not a number cannot be compared; a model that says so recommends nothing.
    if (!left_out[item] && !std::isnan(scores[item])) all.push_back({item, scores[item]});
  }
  const std::size_t kept = std::min(count, all.size());
  std::ranges::partial_sort(all, all.begin() + static_cast<std::ptrdiff_t>(kept),
                            [](const ScoredItem& a, const ScoredItem& b) {
                              return a.score != b.score ? a.score > b.score : a.item < b.item;
                            });
  all.resize(kept);
  return all;
}

}  // namespace linn
