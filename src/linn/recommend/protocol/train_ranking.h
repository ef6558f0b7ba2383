// Training a recommender by gradients, epoch by epoch, into a run folder.
#pragma once

#include "linn/base/context.h"
#include "linn/model/run_folder.h"
#include "linn/recommend/protocol/trained_recommender.h"
#include "linn/train/epoch_loop.h"

namespace linn {

// Every epoch goes through all likes of the training rows that have a history, in a new order and with new negatives;
// these are the same examples for every model. Everything else is as epoch_loop.h says of train_epochs. The best epoch
// has the highest nDCG@10 on the validation candidates, ties by the mean reciprocal rank; without validation data the
// last epoch is kept. The settings are those of a kind that is trained by epochs.
TrainingReport train_ranking(TrainableRankingModel& model, const RecommenderDescription& description,
                             const Histories& histories, Context& context, TrainingStore& store);

// The likes that training goes through: those of the training rows with a history, of users who do not like everything.
std::vector<Example> training_examples(const Histories& histories);

}  // namespace linn
