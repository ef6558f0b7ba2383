// The options that recommenders share. What a model can be told beyond them stands in its own files.
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

// Every recommender.
struct RankingOptions {
  std::uint64_t candidate_seed = 0;  // of the items among which held-out ones are ranked
};

// Every recommender that is trained by epochs.
struct EpochRankingOptions : RankingOptions, TrainingOptions {
  RankingLoss loss = RankingLoss::kBpr;
  std::size_t negatives = 1;       // for each liked item
  bool learn_label_noise = false;  // estimate label_noise after every epoch
  std::size_t ensemble = 1;        // models that are trained together; their answers are averaged
  double average = 0.0;            // decay of an average of the weights over the epochs, which answers in their place
};

// How a model treats the disliked items of a history.
enum class DislikeMode : std::uint8_t {
  kLogic,      // negated literals
  kMinus,      // their vector times -1; for neighbours, votes against
  kEmbedding,  // a second vector for each item
  kNetwork,    // a two-layer network over their vector
  kNone,       // left out: the history is the last likes
};

// Every model that reads the history.
struct HistoryOptions {
  std::size_t history = 10;  // events at most; 0: all
  DislikeMode dislikes = DislikeMode::kNone;

  HistoryWindow window() const { return {history, dislikes != DislikeMode::kNone}; }
};

OptionTable<RankingOptions> ranking_option_table();
OptionTable<EpochRankingOptions> epoch_ranking_option_table();
// `modes`: those that the model knows.
OptionTable<HistoryOptions> history_option_table(std::vector<std::pair<std::string, DislikeMode>> modes);

// What the presets of all models trained by epochs have in common.
void apply_preset(Preset preset, EpochRankingOptions& options);

}  // namespace linn
