#include "linn/recommend/protocol/ranking_model.h"

#include <cassert>
#include <numeric>

namespace linn {

void RankingModel::score_all(const Query& query, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  std::vector<ItemId> all(items());
  std::iota(all.begin(), all.end(), ItemId{0});
  score({&query, 1}, all, all.size(), scores, threads);
}

}  // namespace linn
