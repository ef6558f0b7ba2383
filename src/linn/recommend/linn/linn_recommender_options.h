// The options of LINN as a recommender.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "linn/nn/losses.h"
#include "linn/recommend/protocol/recommender_kind.h"
#include "linn/train/logic_options.h"

namespace linn {

enum class RecommendForm : std::uint8_t {
  kDnf,       // (h_1 and t) or ... or (h_k and t), as in the paper
  kFactored,  // (h_1 or ... or h_k) and t, as in the authors' program
  kFold,      // the same over whole histories: every prefix of a user's events is a training example
};

enum class ModuleInit : std::uint8_t {
  kNormal,  // all parameters from N(0, init)
  kGlorot,  // weights from N(0, 2 / (inputs + outputs)), biases 0
  kLinear,  // the same, smaller, around a sum for OR and a product for AND
};

struct LinnRecommenderOptions : EpochRankingOptions, LogicOptions, HistoryOptions {
  LinnRecommenderOptions() { dislikes = DislikeMode::kLogic; }

  RecommendForm form = RecommendForm::kDnf;
  std::size_t clause_order = 1;  // 2: with clauses (h_i and h_j and t) too
  BprOn bpr_on = BprOn::kSimilarity;
  float event_dropout = 0.0F;  // fold: share of events left out of training histories at random
  ModuleInit module_init = ModuleInit::kNormal;
  bool user_vectors = false;  // users known from training have a vector, which comes first in their history
  bool features = false;      // items without training events get a vector made from their categories
};

OptionTable<LinnRecommenderOptions> linn_recommender_option_table();

// The weights of the laws and of the length term depend on the number of ratings, as the paper used different weights
// for its two data sets; whether users have vectors depends on the ratings per user.
LinnRecommenderOptions linn_recommender_preset(Preset preset, const DataSize& size, std::size_t width = 0);
// The two halves of `best`: over clauses, and over whole histories, which suit larger data.
LinnRecommenderOptions linn_clause_preset(Preset preset, const DataSize& size, std::size_t width = 0);
LinnRecommenderOptions linn_fold_preset(const DataSize& size, std::size_t width = 0);

// `linn`, and `linn-rl`: LINN without the laws.
std::unique_ptr<const RecommenderKind> linn_kind();
std::unique_ptr<const RecommenderKind> linn_without_laws_kind();

}  // namespace linn
