#include "linn/recommend/protocol/recommender_options.h"

namespace linn {
namespace {

constexpr double kWeightNorm = 1e-4;  // lambda_Theta, from the authors' commands

}  // namespace

OptionTable<RankingOptions> ranking_option_table() {
  OptionTable<RankingOptions> table;
  table.integer("candidate_seed", "Seed of the items among which a held-out item is ranked", 0, ~std::uint64_t{0},
                &RankingOptions::candidate_seed);
  return table;
}

OptionTable<EpochRankingOptions> epoch_ranking_option_table() {
  OptionTable<EpochRankingOptions> table;
  table.choice<RankingLoss>("loss", "Pairs of a liked item and a negative, or the liked item among its negatives",
                            {{"bpr", RankingLoss::kBpr}, {"softmax", RankingLoss::kSoftmax}},
                            &EpochRankingOptions::loss);
  table.integer("negatives", "Sampled items for each liked one", 1, 10'000, &EpochRankingOptions::negatives);
  table.integer("ensemble", "Models that are trained together; their answers are averaged", 1, 1000,
                &EpochRankingOptions::ensemble);
  table.number("average", "Decay of an average of the weights over the epochs, which answers in their place; 0: none",
               0.0, 0.999, &EpochRankingOptions::average);
  table.include<TrainingOptions>(training_option_table());
  table.flag("learn_label_noise", "Estimate label_noise after every epoch", &EpochRankingOptions::learn_label_noise);
  table.alias("learn_flip_rate", "learn_label_noise");
  table.include<RankingOptions>(ranking_option_table());
  return table;
}

OptionTable<HistoryOptions> history_option_table(std::vector<std::pair<std::string, DislikeMode>> modes) {
  OptionTable<HistoryOptions> table;
  table.integer("history", "Events of a history that are read, the last ones; 0: all", 0, 100'000,
                &HistoryOptions::history);
  table.choice<DislikeMode>("dislikes", "How the disliked items of a history are read", std::move(modes),
                            &HistoryOptions::dislikes);
  return table;
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
      // The loss that a model is ranked by in the end has one liked item among many others.
      options.loss = RankingLoss::kSoftmax;
      options.average = 0.8;  // single epochs differ more than models do
      options.optimizer.decay_biases = false;
      break;
  }
}

}  // namespace linn
