// The options that recommenders share. Those of a single kind are in its own files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/options.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_loss.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_options.h"

namespace linn {

// For all recommenders.
struct RankingOptions {
  std::uint64_t candidate_seed = 0;  // of the candidates among which held-out items are ranked
};

// How negatives that are shared by a batch are drawn.
enum class NegativeSampling : std::uint8_t { kUniform, kPopularity };

// For recommenders that are trained by epochs.
struct EpochRankingOptions : RankingOptions, TrainingOptions {
  RankingLoss loss = RankingLoss::kBpr;
  // Per liked item. A model that learns from whole histories shares them in a batch; 0: the whole catalogue.
  std::size_t negatives = 1;
  NegativeSampling negative_sampling = NegativeSampling::kUniform;  // of shared negatives
  bool learn_label_noise = false;                                   // estimate label_noise after every epoch
  std::size_t ensemble = 1;  // number of models that are trained together and averaged
  double average = 0.0;      // decay of the moving average of the weights used for prediction; 0: none
};

// How a model reads the disliked items of a history.
enum class DislikeMode : std::uint8_t {
  kLogic,      // negated literals
  kMinus,      // negated vectors; for nearest neighbours, negative votes
  kEmbedding,  // a second vector per item
  kNetwork,    // a two-layer network applied to their vectors
  kNone,       // not at all: the window has likes only
};

// For models that read the history.
struct HistoryOptions {
  std::size_t history = 10;  // at most this many events; 0: all
  DislikeMode dislikes = DislikeMode::kNone;

  HistoryWindow window() const { return {history, dislikes != DislikeMode::kNone}; }
};

OptionTable<RankingOptions> ranking_option_table();
OptionTable<EpochRankingOptions> epoch_ranking_option_table();
// `modes`: the ones that the model supports.
OptionTable<HistoryOptions> history_option_table(std::vector<std::pair<std::string, DislikeMode>> modes);

// Whether a data set has more than 500,000 ratings: the paper's smaller one has 100,000, the larger 1,689,188. With
// large data the sequence models of `best` learn from whole histories rather than from single likes; LINN always does.
bool is_large(const DataSize& size);

// The default number of negatives for a model that learns from whole histories.
std::size_t default_shared_negatives(std::size_t items);

// The part of a preset that all models trained by epochs share.
void apply_preset(Preset preset, EpochRankingOptions& options);
// The part of `best` that all models share that learn from whole histories: how much they are regularized depends on
// the data.
void apply_history_preset(const DataSize& size, EpochRankingOptions& options);

}  // namespace linn
