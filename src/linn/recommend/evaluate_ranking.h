// How well a recommender ranks what users liked in the end.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/metrics/ranking_metrics.h"
#include "linn/recommend/candidates.h"
#include "linn/recommend/recommender.h"

namespace linn {

// The rank of each held-out item among its candidates, in their order. Users from `known_users` on are new to the
// model. The result does not depend on the number of threads.
std::vector<Ranking> rank_held_out(const Recommender& model, const Histories& histories, const Candidates& candidates,
                                   std::size_t known_users, ThreadPool& threads);

// The data in the numbers of a model's catalogue: users and items of the same names have the same numbers, users that
// the model does not know follow behind, and rows about items that it does not know are left out.
struct FittedData {
  InteractionData data;
  std::size_t known_users = 0;  // those of the model
  std::size_t left_out = 0;     // rows
  std::size_t unknown_items = 0;
};
FittedData fit_to_catalogue(InteractionData data, const Catalogue& catalogue);

}  // namespace linn
