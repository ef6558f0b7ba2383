// From likes and dislikes and settings to a trained recommender.
#pragma once

#include <vector>

#include "linn/base/context.h"
#include "linn/data/interactions.h"
#include "linn/metrics/ranking_metrics.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/train/training_run.h"

namespace linn {

struct LearnedRecommender {
  TrainingReport report;
  TrainedRecommender recommender;         // of the best epoch
  std::vector<Ranking> validation, test;  // of every held-out like among its candidates
};

// Trains or fits a model of the kind that the config names, with settings of that kind. Throws InputError before anything
// is written where there is nothing to train on.
LearnedRecommender learn_recommender(const RecommenderKind& kind, const Settings& settings, const RunConfig& config,
                                     const InteractionData& data, const RunPlace& place, Context& context);

// How many held-out likes are ranked among: the held-out item and so many others.
inline constexpr std::size_t kCandidates = 100;

}  // namespace linn
