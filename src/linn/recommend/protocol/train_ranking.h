// Trains a recommender by gradient descent, epoch by epoch.
#pragma once

#include "linn/base/context.h"
#include "linn/model/run_folder.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// Every epoch goes through training_examples() or, for a model that learns from whole histories, through all stretches
// (stretches.h), in a new order and with new negatives. The best epoch has the highest
// nDCG@10 on the validation candidates, ties by the mean reciprocal rank; without validation data it is the last one.
// For the rest see train_epochs() in epoch_loop.h. The kind must be one that is trained by epochs, and there must be
// something to train on.
TrainingReport train_ranking(TrainableRankingModel& model, const RecommenderDescription& description,
                             const Histories& histories, Context& context, TrainingStore& store);

// Whether the training rows have anything that the model learns from.
bool has_training_data(const TrainableRankingModel& model, const Histories& histories);
// The same for rows that are no earlier ones.
bool has_later_data(const TrainableRankingModel& model, const Histories& histories);

// The examples of training, the same for all models that learn from single likes: likes in the training rows that have
// a history, except those of users who like every item, for whom there are no negatives.
std::vector<Example> training_examples(const Histories& histories);

}  // namespace linn
