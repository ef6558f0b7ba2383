#include "linn/recommend/protocol/recommender_options.h"

#include <algorithm>
#include <cmath>

namespace linn {
namespace {

constexpr double kWeightNorm = 1e-4;  // lambda_Theta, from the authors' commands

}  // namespace

OptionTable<RankingOptions> ranking_option_table() {
  OptionTable<RankingOptions> table;
  table.integer("candidate_seed", "Seed of the candidates among which held-out items are ranked", 0, ~std::uint64_t{0},
                &RankingOptions::candidate_seed);
  return table;
}

OptionTable<EpochRankingOptions> epoch_ranking_option_table() {
  OptionTable<EpochRankingOptions> table;
  table.choice<RankingLoss>(
      "loss", "BPR on pairs of a liked item and a negative, or softmax over the liked item and its negatives",
      {{"bpr", RankingLoss::kBpr}, {"softmax", RankingLoss::kSoftmax}}, &EpochRankingOptions::loss);
  table.integer("negatives",
                "Sampled negatives per liked item; in training on whole histories, per batch (0: the whole catalogue)",
                0, 100'000, &EpochRankingOptions::negatives);
  table.choice<NegativeSampling>(
      "negative_sampling", "How the negatives that a batch shares are drawn, in training on whole histories",
      {{"uniform", NegativeSampling::kUniform}, {"popularity", NegativeSampling::kPopularity}},
      &EpochRankingOptions::negative_sampling);
  table.integer("ensemble", "Models that are trained together and averaged", 1, 1000, &EpochRankingOptions::ensemble);
  table.number("average", "Decay of the moving average of the weights that is used for prediction; 0: none", 0.0, 0.999,
               &EpochRankingOptions::average);
  table.include<TrainingOptions>(training_option_table());
  table.flag("learn_label_noise", "Estimate label_noise after every epoch", &EpochRankingOptions::learn_label_noise);
  table.alias("learn_flip_rate", "learn_label_noise");
  table.include<RankingOptions>(ranking_option_table());
  return table;
}

OptionTable<HistoryOptions> history_option_table(std::vector<std::pair<std::string, DislikeMode>> modes) {
  OptionTable<HistoryOptions> table;
  table.integer("history", "Number of last events of a history that are read; 0: all", 0, 100'000,
                &HistoryOptions::history);
  table.choice<DislikeMode>("dislikes", "How the disliked items of a history are read", std::move(modes),
                            &HistoryOptions::dislikes);
  return table;
}

bool is_large(const DataSize& size) { return size.rows > 500'000; }

std::size_t default_shared_negatives(std::size_t items) {
  constexpr std::size_t kWholeCatalogue = 20'000;
  constexpr std::size_t kNegatives = 4096;
  return items <= kWholeCatalogue ? 0 : kNegatives;
}

void apply_history_preset(const DataSize& size, EpochRankingOptions& options) {
  apply_preset(Preset::kBest, options);
  options.negatives = default_shared_negatives(size.items);
  options.batch = 32;
  // The gradient of the mean loss is small; its norm shows when a step would be too long.
  options.optimizer.clip_value = 0.0;
  options.optimizer.clip_norm = 1.0;
  // The less data, the more regularization.
  const double ratings = std::max(static_cast<double>(size.rows), 1.0);
  options.dropout = static_cast<float>(std::clamp(0.2 * (7.0 - std::log10(ratings)), 0.1, 0.6));
  options.optimizer.weight_decay = is_large(size) ? 0.0 : std::min(10.0 / ratings, 3e-4);
}

void apply_preset(Preset preset, EpochRankingOptions& options) {
  options.optimizer.clip_value = 10.0;
  options.patience = 20;
  switch (preset) {
    case Preset::kPaper:
      // A term lambda ||Theta||^2 of the loss has the gradient 2 lambda Theta.
      options.optimizer.weight_decay = 2.0 * kWeightNorm;
      options.dropout = 0.2F;
      break;
    case Preset::kAuthors:
      options.optimizer.weight_decay = kWeightNorm;
      options.optimizer.decay_biases = false;
      options.dropout = 0.2F;
      break;
    case Preset::kBest:
      // Closest to the evaluation, which ranks one liked item among many others.
      options.loss = RankingLoss::kSoftmax;
      options.average = 0.8;  // single epochs vary more than models do
      options.optimizer.decay_biases = false;
      break;
  }
}

}  // namespace linn
