// The kinds of models of a task, "equations" or "recommend".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "linn/train/model_kind.h"

namespace linn::app {

std::vector<const ModelKind*> model_kinds(std::string_view task);

// Throws InputError, suggesting the closest name.
const ModelKind& model_kind(std::string_view task, std::string_view name);

// The preset that settings start from: the given one, otherwise the best. Throws InputError if one is given for a model
// that is fitted at once, because all presets of such a model are the same.
Preset preset_or_best(const ModelKind& kind, std::optional<Preset> given);

// A model and its settings, as given to `linn train` and `linn tune`.
struct ModelChoice {
  std::string task;
  std::string model = "linn";
  std::optional<Preset> preset;
  std::vector<std::string> settings;  // KEY=VALUE

  const ModelKind& kind() const { return model_kind(task, model); }
};

}  // namespace linn::app
