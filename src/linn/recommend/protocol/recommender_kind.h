// A kind of recommender: options, presets, construction and loading. Each kind is defined in a file of its own and
// listed in recommend/recommender_registry.cc; no other code refers to it.
#pragma once

#include <cassert>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "linn/base/context.h"
#include "linn/base/error.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_options.h"
#include "linn/train/model_kind.h"

namespace linn {

// Streams of the context's randomness for models. The order of the examples and the negatives use other streams.
enum RecommendStream : std::uint64_t { kInitialValueStream = 1, kPretrainingStream, kMemberStream = 1000 };

class RecommenderKind : public ModelKind {
 public:
  // Whether sigmoid(score) is the probability that the user likes the item.
  virtual bool scores_are_logits(const Settings&) const { return false; }

  // One line about how a model with these settings learns, where a preset may have chosen that by the size of the data;
  // empty if there is nothing to say.
  virtual std::string remark(const Settings&) const { return {}; }

  // The parts of the settings that kinds share; training() is null for models in closed form.
  virtual const RankingOptions& ranking(const Settings& settings) const = 0;
  virtual const EpochRankingOptions* training(const Settings& settings) const = 0;

  // Makes a model with initial values, to be trained by epochs. Throws InputError for options that contradict each
  // other.
  virtual std::unique_ptr<TrainableRankingModel> make(const Settings&, const Histories&, Context&) const {
    assert(false && "only called for a model trained by epochs, which must implement it");
    return nullptr;
  }
  // Fits a model in closed form to the training rows.
  virtual std::unique_ptr<RankingModel> fit(const Settings&, const Histories&, Context&) const {
    assert(false && "only called for a model in closed form, which must implement it");
    return nullptr;
  }
  // Loads a model from tensors whose names begin with `prefix`. Throws InputError if the file does not match.
  virtual std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in,
                                             const Catalogue& catalogue, const std::string& prefix) const = 0;
};

// A kind with its own type of options, derived from RankingOptions (fitted) or EpochRankingOptions (trained by epochs).
template <class Options>
class RecommenderKindOf : public RecommenderKind {
 public:
  bool trains_by_epochs() const final { return kByEpochs; }

  void check(const Settings& settings) const override {
    if constexpr (kByEpochs) {
      const auto& own = options_of<Options>(settings);
      if (own.negatives == 0 && !learns_from_histories(own)) {
        throw InputError("negatives must be at least 1 for a model that learns from single likes");
      }
      if (own.negative_sampling != NegativeSampling::kUniform && (own.negatives == 0 || !learns_from_histories(own))) {
        throw InputError("negative_sampling is for negatives that a batch of whole histories shares");
      }
    }
  }

  std::string remark(const Settings& settings) const final {
    if constexpr (kByEpochs) {
      const auto& own = options_of<Options>(settings);
      if (learns_from_histories(own)) {
        return "learning from whole histories, with a softmax over " +
               (own.negatives == 0 ? "all items" : std::to_string(own.negatives) + " negatives that a batch shares");
      }
    }
    return {};
  }

  std::unique_ptr<Settings> preset(Preset preset, const DataSize& size, std::size_t width) const final {
    return std::make_unique<SettingsOf<Options>>(options(preset, size, width), table());
  }
  const RankingOptions& ranking(const Settings& settings) const final { return options_of<Options>(settings); }
  const EpochRankingOptions* training(const Settings& settings) const final {
    if constexpr (kByEpochs) {
      return &options_of<Options>(settings);
    } else {
      return nullptr;
    }
  }

 protected:
  virtual Options options(Preset preset, const DataSize& size, std::size_t width) const = 0;
  virtual OptionTable<Options> table() const = 0;
  // Whether models with these options have a training_window().
  virtual bool learns_from_histories(const Options&) const { return false; }

 private:
  static constexpr bool kByEpochs = std::is_base_of_v<EpochRankingOptions, Options>;
};

}  // namespace linn
