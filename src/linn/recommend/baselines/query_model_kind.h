// What the kinds of query models (query_design.h) share.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "linn/recommend/baselines/query_design.h"
#include "linn/recommend/baselines/query_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// The best settings of a baseline by nDCG@10 on the validation data of ML-100k, under the loss of `best`. Each was
// found by a search of the same size (docs/recommendation.md).
struct BestSettings {
  double learning_rate;
  double weight_decay;
  float dropout;
  std::size_t history;
  // The best in training on the whole histories of MovieLens 1M, by validation.
  double history_learning_rate = 1e-3;
};

QueryModelOptions query_model_preset(Preset preset, std::size_t width, const BestSettings& best);
// The settings of `best` for training on whole histories.
QueryModelOptions history_model_preset(const DataSize& size, std::size_t width, const BestSettings& best);

// Without and with the options of the history.
OptionTable<QueryModelOptions> query_model_option_table();
OptionTable<QueryModelOptions> sequential_option_table();

// A kind defines its name, its best settings and its design. `Options` is QueryModelOptions or derives from it.
template <class Options>
class QueryModelKind : public RecommenderKindOf<Options> {
 public:
  void check(const Settings& settings) const override {
    RecommenderKindOf<Options>::check(settings);
    const auto& options = options_of<Options>(settings);
    if (options.train_on == TrainOn::kHistories && options.loss != RankingLoss::kSoftmax) {
      throw InputError("train_on=histories needs loss=softmax; or choose train_on=likes");
    }
  }
  std::vector<std::string> search_ranges(Preset) const override { return gradient_search_ranges(); }

  std::unique_ptr<Settings> adapted(std::unique_ptr<Settings> settings, Preset preset, const DataSize& size,
                                    const Settings& asked) const override {
    auto own = options_of<Options>(*settings);
    const TrainOn train_on = options_of<Options>(asked).train_on;
    if (preset != Preset::kBest || train_on == own.train_on) return settings;
    static_cast<QueryModelOptions&>(own) = train_on == TrainOn::kHistories
                                               ? history_model_preset(size, own.width, best())
                                               : query_model_preset(Preset::kBest, own.width, best());
    return std::make_unique<SettingsOf<Options>>(own, table());
  }

  std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                              Context& context) const override {
    const auto& options = options_of<Options>(settings);
    return std::make_unique<QueryModel>(design(options), options, histories, context);
  }
  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    const auto& options = options_of<Options>(settings);
    return std::make_unique<QueryModel>(design(options), options, in, catalogue, prefix);
  }

 protected:
  virtual BestSettings best() const = 0;
  // Throws InputError for options that contradict each other.
  virtual QueryDesign design(const Options& options) const = 0;

  // Whether `best` trains the model on whole histories, as suits the kind and the data.
  virtual bool histories_suit(const DataSize& size) const { return is_large(size); }

  Options options(Preset preset, const DataSize& size, std::size_t width) const override {
    const bool histories = preset == Preset::kBest && histories_suit(size);
    Options options;
    static_cast<QueryModelOptions&>(options) =
        histories ? history_model_preset(size, width, best()) : query_model_preset(preset, width, best());
    return options;
  }
  bool learns_from_histories(const Options& options) const override { return options.train_on == TrainOn::kHistories; }
  OptionTable<Options> table() const override {
    OptionTable<Options> table;
    table.template include<QueryModelOptions>(sequential_option_table());
    return table;
  }
};

}  // namespace linn
