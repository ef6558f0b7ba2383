#include "linn/recommend/baselines/query_model_kind.h"

namespace linn {

QueryModelOptions query_model_preset(Preset preset, std::size_t width, const BestSettings& best) {
  QueryModelOptions options;
  apply_preset(preset, options);
  if (width != 0) options.width = width;
  if (preset == Preset::kBest) {
    options.negatives = 30;  // more helped only the fastest models enough to justify the longer training
    options.optimizer.learning_rate = best.learning_rate;
    options.optimizer.weight_decay = best.weight_decay;
    options.dropout = best.dropout;
    options.history = best.history;
  }
  return options;
}

QueryModelOptions history_model_preset(const DataSize& size, std::size_t width, const BestSettings& best) {
  QueryModelOptions options;
  apply_history_preset(size, options);
  if (width != 0) options.width = width;
  options.train_on = TrainOn::kHistories;
  options.history = 200;
  options.optimizer.learning_rate = best.history_learning_rate;
  return options;
}

OptionTable<QueryModelOptions> query_model_option_table() {
  OptionTable<QueryModelOptions> table;
  table.integer("d", "Width of the vectors", 1, 4096, &QueryModelOptions::width);
  table.include<EpochRankingOptions>(epoch_ranking_option_table());
  return table;
}

OptionTable<QueryModelOptions> sequential_option_table() {
  OptionTable<QueryModelOptions> table;
  table.include<HistoryOptions>(history_option_table({{"minus", DislikeMode::kMinus},
                                                      {"embedding", DislikeMode::kEmbedding},
                                                      {"network", DislikeMode::kNetwork},
                                                      {"none", DislikeMode::kNone}}));
  table.choice<TrainOn>("train_on",
                        "Learn from single likes, or from all likes of a history at once; batch then counts histories",
                        {{"likes", TrainOn::kLikes}, {"histories", TrainOn::kHistories}}, &QueryModelOptions::train_on);
  table.include(query_model_option_table());
  return table;
}

}  // namespace linn
