#include "linn/recommend/recommender.h"

#include <cassert>
#include <numeric>

namespace linn {

void Recommender::score_all(const Asker& asker, std::span<float> scores, ThreadPool& threads) const {
  assert(scores.size() == items());
  std::vector<ItemId> all(items());
  std::iota(all.begin(), all.end(), ItemId{0});
  score({&asker, 1}, all, all.size(), scores, threads);
}

}  // namespace linn
