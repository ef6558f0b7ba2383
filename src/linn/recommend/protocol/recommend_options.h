// Everything that training a recommender can be told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "linn/base/options.h"
#include "linn/nn/losses.h"
#include "linn/nn/network_options.h"
#include "linn/optim/optimizer.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/train/pretrain.h"

namespace linn {

enum class RecommenderKind : std::uint8_t {
  kLinn,
  kLinnWithoutLaws,
  kBprmf,
  kSvdpp,
  kStamp,
  kGru4rec,
  kNarm,
  kSasrec,
  kEase,
  kItemKnn,
  kPopularity,
};

struct RecommenderName {
  RecommenderKind kind;
  std::string_view word;  // as on the command line and in model files
};
std::span<const RecommenderName> recommender_names();
std::string_view word_of(RecommenderKind kind);

// Learned step by step, or fitted at once.
bool trains_by_epochs(RecommenderKind kind);
inline bool is_linn(RecommenderKind kind) {
  return kind == RecommenderKind::kLinn || kind == RecommenderKind::kLinnWithoutLaws;
}

enum class RecommendPreset : std::uint8_t { kBest, kPaper, kAuthors };

enum class RecommendForm : std::uint8_t {
  kDnf,       // (h_1 and t) or ... or (h_k and t), as in the paper
  kFactored,  // (h_1 or ... or h_k) and t, as in the authors' program
};

// What becomes of the disliked items of a history.
enum class DislikeMode : std::uint8_t {
  kLogic,      // negated literals
  kMinus,      // their vector times -1; for neighbours, votes against
  kEmbedding,  // a second vector for each item
  kNetwork,    // a two-layer network over their vector
  kNone,       // left out: the history is the last likes
};

// What a model does not name in its table (see recommend_option_table) it does not read.
struct RecommendOptions {
  // What is read of a history.
  std::size_t history = 10;  // events at most; 0: all
  DislikeMode dislikes = DislikeMode::kLogic;
  HistoryWindow window() const { return {history, dislikes != DislikeMode::kNone}; }

  // How is learned.
  RankingLoss loss = RankingLoss::kBpr;
  std::size_t negatives = 1;     // for each liked item
  double flip_rate = 0.0;        // share of likes expected to be wrong ...
  bool learn_flip_rate = false;  // ... at first, and then estimated after every epoch
  std::size_t ensemble = 1;      // models that are trained, and answer as their mean
  std::size_t batch = 128;
  std::size_t epochs = 100;
  std::size_t patience = 10;         // epochs without a better one before training stops
  std::uint64_t candidate_seed = 0;  // of the items among which held-out ones are ranked
  OptimizerOptions optimizer;
  double average = 0.0;  // decay of an average of the weights over the epochs, which answers in their place; 0: none
  float dropout = 0.0F;
  float init = 0.01F;  // deviation of all initial values

  // LINN; the other models take the width of their vectors from the network too.
  NetworkOptions network;
  RecommendForm form = RecommendForm::kDnf;
  std::size_t clause_order = 1;  // 2: with clauses (h_i and h_j and t) too
  BprOn bpr_on = BprOn::kSimilarity;
  bool user_vectors = false;  // a vector of each user that was met in training stands first in the history
  bool random_order = true;   // of operands and association in training
  float law_weight = 1e-6F;   // lambda_l, on each of the ten laws
  float law_share = 1.0F;
  float law_boost = 1.0F;
  float law_boost_share = 0.0F;
  float length_weight = 1e-4F;  // lambda_ell
  bool squared_length = true;
  bool count_occurrences = false;
  bool negation_hides_variable = false;
  PretrainOptions pretrain = {.steps = 0};

  // SASRec.
  std::size_t blocks = 2;
  std::size_t heads = 1;

  // Item neighbours.
  std::size_t neighbours = 100;
  double shrinkage = 10.0;

  // EASE.
  double ridge = 500.0;
};

// What of the data a preset depends on.
struct RatingCounts {
  std::size_t ratings = 0;
  std::size_t users = 0;  // 0: not known
};

// The weights of the laws and of the length depend on the number of ratings, as the paper had one pair for each of its
// sets; whether users have vectors, on how many ratings each has. A width other than 0 replaces the preset's, and
// hidden layers follow it.
RecommendOptions recommend_preset(RecommendPreset preset, RecommenderKind kind, RatingCounts counts,
                                  std::size_t width = 0);

// The preset with some settings changed, each by its name in the table below.
RecommendOptions changed_preset(RecommendPreset preset, RecommenderKind kind, RatingCounts counts,
                                std::span<const std::pair<std::string, std::string>> settings);

// The options that a model reads.
OptionTable<RecommendOptions> recommend_option_table(RecommenderKind kind);

}  // namespace linn
