// Query models, the baselines that are trained by gradient descent, encode a query as one vector q:
//
//   score(item) = q · v_item + b_item        q = u_user + encoder(history)
//
// They differ in which of these parts they have.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_options.h"

namespace linn {

// What a training step learns from.
enum class TrainOn : std::uint8_t {
  kLikes,      // single likes with negatives of their own
  kHistories,  // whole histories: every like is a target, chosen among all items or shared negatives (softmax)
};

struct QueryModelOptions : EpochRankingOptions, HistoryOptions {
  std::size_t width = 64;  // of all vectors
  TrainOn train_on = TrainOn::kLikes;
};

struct QueryDesign {
  bool user_vectors = false;
  bool item_biases = false;
  // Items have separate vectors for when they occur in a history.
  bool history_vectors = false;
  // Empty: the history is not read.
  std::function<std::unique_ptr<SequenceEncoder>(ParameterSet& parameters)> make_encoder = nullptr;
};

}  // namespace linn
