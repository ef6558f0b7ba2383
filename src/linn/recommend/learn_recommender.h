// Training or fitting a recommender on interactions.
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
  std::vector<Ranking> validation, test;  // one per held-out like
};

// Trains or fits a model of the kind, with settings of that kind. Throws InputError, before anything is written, if
// there is nothing to train on.
LearnedRecommender learn_recommender(const RecommenderKind& kind, const Settings& settings, const RunConfig& config,
                                     const InteractionData& data, const RunPlace& place, Context& context);

// Each held-out like is ranked among this many other items.
inline constexpr std::size_t kCandidates = 100;

}  // namespace linn
