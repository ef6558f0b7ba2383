// What the kinds of the baselines that make one vector of a query (query_design.h) have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "linn/recommend/baselines/query_design.h"
#include "linn/recommend/baselines/query_model.h"
#include "linn/recommend/protocol/recommender_kind.h"

namespace linn {

// What a baseline does best with, by nDCG@10 on ML-100k's validation data under the loss of `best`; found by a search of
// the same effort for each (docs/recommendation.md).
struct BestSettings {
  double learning_rate;
  double weight_decay;
  float dropout;
  std::size_t history;
};

QueryModelOptions query_model_preset(Preset preset, std::size_t width, const BestSettings& best);

// Without the options of the history.
OptionTable<QueryModelOptions> query_model_option_table();
// With them.
OptionTable<QueryModelOptions> sequential_option_table();

// A kind says what it is called, what it does best with, and how it makes its vector. `Options` are QueryModelOptions or
// derive from them.
template <class Options>
class QueryModelKind : public RecommenderKindOf<Options> {
 public:
  std::vector<std::string> search_ranges(Preset) const override { return gradient_search_ranges(); }

  std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                              Context& context) const override {
    auto model = make_model(settings, histories.users(), histories.items());
    Random random = context.random(kInitialValueStream);
    model->network().initialize(random, options_of<Options>(settings).init);
    return model;
  }
  std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in, const Catalogue& catalogue,
                                     const std::string& prefix) const override {
    auto model = make_model(settings, catalogue.users.size(), catalogue.items.size());
    model->network().read_tensors(in, prefix);
    return model;
  }

 protected:
  virtual BestSettings best() const = 0;
  // Throws InputError where the options do not go together.
  virtual QueryDesign design(const Options& options) const = 0;

  Options options(Preset preset, const DataSize&, std::size_t width) const override {
    Options options;
    static_cast<QueryModelOptions&>(options) = query_model_preset(preset, width, best());
    return options;
  }
  OptionTable<Options> table() const override {
    OptionTable<Options> table;
    table.template include<QueryModelOptions>(sequential_option_table());
    return table;
  }

 private:
  std::unique_ptr<QueryModel> make_model(const Settings& settings, std::size_t users, std::size_t items) const {
    const auto& options = options_of<Options>(settings);
    return std::make_unique<QueryModel>(design(options), options, users, items);
  }
};

}  // namespace linn
