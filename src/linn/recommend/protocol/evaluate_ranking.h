// Evaluation of a recommender on held-out likes.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linn/base/process_group.h"
#include "linn/base/thread_pool.h"
#include "linn/metrics/ranking_metrics.h"
#include "linn/recommend/protocol/candidates.h"
#include "linn/recommend/protocol/label_noise.h"
#include "linn/recommend/protocol/ranking_model.h"

namespace linn {

// The rank of each held-out item among its candidates, in order. Users numbered `known_users` and above are new to the
// model. The results depend neither on the number of threads nor on that of the processes that share the work (null:
// this one is alone). If there is an estimate, it gets the scores of the held-out items and their candidates.
std::vector<Ranking> rank_held_out(const RankingModel& model, const Histories& histories, const Candidates& candidates,
                                   std::size_t known_users, ThreadPool& threads, ProcessGroup* processes = nullptr,
                                   LabelNoiseEstimate* noise = nullptr);

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
