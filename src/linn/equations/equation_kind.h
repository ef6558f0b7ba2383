// A kind of model for equations: options, presets, training and loading. Each kind is defined in a file of its own and
// listed in equations/equation_registry.cc; no other code refers to it.
#pragma once

#include <cassert>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "linn/base/context.h"
#include "linn/data/equations.h"
#include "linn/equations/equation_model.h"
#include "linn/logic/normal_form.h"
#include "linn/model/safetensors.h"
#include "linn/train/epoch_loop.h"
#include "linn/train/model_kind.h"
#include "linn/train/training_options.h"

namespace linn {

class EquationKind : public ModelKind {
 public:
  // The normal form in which the model reads expressions; nullopt: as they are.
  virtual std::optional<Form> form(const Settings&) const { return std::nullopt; }

  // Trains by epochs, see train_epochs() in epoch_loop.h.
  virtual TrainingReport train(const Settings&, const NormalizedEquations&, const SnapshotEpochs&, Context&,
                               TrainingStore&) const {
    assert(false && "only called for a model trained by epochs, which must implement it");
    return {};
  }
  // Fits a model that is not trained by epochs.
  virtual std::unique_ptr<EquationModel> fit(const Settings&, EquationData&, Context&) const {
    assert(false && "only called for a model in closed form, which must implement it");
    return nullptr;
  }
  // Throws InputError if the file does not match.
  virtual std::unique_ptr<EquationModel> load(const SafetensorsFile& in) const = 0;
};

// A kind with its own type of options, derived from TrainingOptions if the kind is trained by epochs.
template <class Options>
class EquationKindOf : public EquationKind {
 public:
  bool trains_by_epochs() const final { return std::is_base_of_v<TrainingOptions, Options>; }
  std::unique_ptr<Settings> preset(Preset preset, const DataSize& size, std::size_t width) const final {
    return std::make_unique<SettingsOf<Options>>(options(preset, size, width), table());
  }

 protected:
  virtual Options options(Preset preset, const DataSize& size, std::size_t width) const = 0;
  virtual OptionTable<Options> table() const = 0;
};

}  // namespace linn
