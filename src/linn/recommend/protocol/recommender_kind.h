// A kind of recommender: options, presets, construction and loading. Each kind is defined in its own file and has one
// line in recommend/recommender_registry.cc; nothing else names it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

#include "linn/base/context.h"
#include "linn/model/safetensors.h"
#include "linn/recommend/protocol/histories.h"
#include "linn/recommend/protocol/ranking_model.h"
#include "linn/recommend/protocol/recommender_options.h"
#include "linn/train/model_kind.h"

namespace linn {

// Streams of the context's randomness that models take; the order of the examples and their negatives have others.
enum RecommendStream : std::uint64_t { kInitialValueStream = 1, kPretrainingStream, kMemberStream = 1000 };

class RecommenderKind : public ModelKind {
 public:
  // A score is a truth before the sigmoid.
  virtual bool scores_truths() const { return false; }

  // The parts of the settings that all kinds share; training() is null for a model that is fitted at once.
  virtual const RankingOptions& ranking(const Settings& settings) const = 0;
  virtual const EpochRankingOptions* training(const Settings& settings) const = 0;

  // A model with its initial values, to be trained by epochs. Throws InputError for options that do not go together.
  virtual std::unique_ptr<TrainableRankingModel> make(const Settings& settings, const Histories& histories,
                                                      Context& context) const {
    static_cast<void>(settings), static_cast<void>(histories), static_cast<void>(context);
    return nullptr;
  }
  // A model fitted at once to the training rows.
  virtual std::unique_ptr<RankingModel> fit(const Settings& settings, const Histories& histories,
                                            Context& context) const {
    static_cast<void>(settings), static_cast<void>(histories), static_cast<void>(context);
    return nullptr;
  }
  // A model from its tensors, whose names begin with `prefix`. Throws InputError where the file does not fit.
  virtual std::unique_ptr<RankingModel> load(const Settings& settings, const SafetensorsFile& in,
                                             const Catalogue& catalogue, const std::string& prefix) const = 0;
};

// A kind with options of its own type, which derive from RankingOptions or EpochRankingOptions.
template <class Options>
class RecommenderKindOf : public RecommenderKind {
 public:
  bool trains_by_epochs() const final { return kByEpochs; }

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

 private:
  static constexpr bool kByEpochs = std::is_base_of_v<EpochRankingOptions, Options>;
};

}  // namespace linn
