// How well a recommender ranks what users liked in the end.
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

// Calls `use` for every held-out item in order with its score and, behind it, those of its candidates. Users from
// `known_users` on are new to the model. Nothing depends on the number of threads.
void score_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                    std::size_t known_users, ThreadPool& threads,
                    const std::function<void(std::span<const float> scores)>& use);

// The rank of each held-out item among its candidates, in the same order.
std::vector<Ranking> rank_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
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
