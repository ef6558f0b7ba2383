// How the baselines that are learned by gradients differ. All of them make one vector of a query, q, and
//
//   score(item) = q · v_item + b_item        q = u_user + encoder(history)
//
// where some have no vectors of users, some no biases, and some do not read the history.
#pragma once

#include <functional>
#include <memory>

#include "linn/recommend/baselines/sequence_encoder.h"
#include "linn/recommend/protocol/recommender_options.h"

namespace linn {

struct QueryModelOptions : EpochRankingOptions, HistoryOptions {
  std::size_t width = 64;  // of the vectors
};

struct QueryDesign {
  bool user_vectors = false;
  bool item_biases = false;
  // Whether items have other vectors in a history than as what is scored.
  bool history_vectors = false;
  // Empty where the history is not read.
  std::function<std::unique_ptr<SequenceEncoder>(ParameterSet& parameters)> make_encoder = nullptr;
};

}  // namespace linn
