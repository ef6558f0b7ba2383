// Evaluation of a recommender on held-out likes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "linn/base/thread_pool.h"
#include "linn/metrics/ranking_metrics.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// Calls `use` for every held-out item, in order, with its score followed by the scores of its candidates. Users
// numbered `known_users` and above are new to the model. The results do not depend on the number of threads.
void score_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                    std::size_t known_users, ThreadPool& threads,
                    const std::function<void(std::span<const float> scores)>& use);

// The rank of each held-out item among its candidates, in the same order.
std::vector<Ranking> rank_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                                   std::size_t known_users, ThreadPool& threads);

// Data renumbered to match the catalogue of a model: users and items of the same names get the same numbers, users
// unknown to the model follow, and rows with unknown items are left out.
struct FittedData {
  InteractionData data;
  std::size_t known_users = 0;  // users of the model
  std::size_t left_out = 0;     // rows
  std::size_t unknown_items = 0;
};
FittedData fit_to_catalogue(InteractionData data, const Catalogue& catalogue);

}  // namespace linn
