#include "linn/train/model_kind.h"

#include "linn/base/error.h"

namespace linn {
namespace {

// In the order of the enumeration.
const std::vector<std::string>& preset_names() {
  static const std::vector<std::string> names = {"best", "paper", "authors"};
  return names;
}

}  // namespace

Preset preset_of(std::string_view name) {
  for (std::size_t i = 0; i < preset_names().size(); ++i) {
    if (preset_names()[i] == name) return static_cast<Preset>(i);
  }
  options_detail::refuse_choice("preset", name, preset_names());
}

std::string_view preset_name(Preset preset) { return preset_names()[static_cast<std::size_t>(preset)]; }

void ModelKind::check_device(const TrainingDevice* device) const {
  if (device == nullptr || trains_on_devices()) return;
  throw InputError("the model '" + std::string(name()) + "' is not there on a GPU: train it on the CPU");
}

std::unique_ptr<Settings> ModelKind::settings(Preset wanted, const DataSize& size,
                                              std::span<const NamedValues::value_type> changed) const {
  auto settings = changed_preset(wanted, size, changed);
  check(*settings);
  return settings;
}

std::unique_ptr<Settings> ModelKind::stored_settings(std::span<const NamedValues::value_type> values) const {
  return changed_preset(Preset::kBest, {}, values);
}

std::unique_ptr<Settings> ModelKind::changed_preset(Preset wanted, const DataSize& size,
                                                    std::span<const NamedValues::value_type> changed) const {
  // Width and form come first, since other settings of the preset depend on them; the first pass checks their values.
  const auto asked = preset(wanted, size);
  bool has_width = false;
  for (const auto& [name, value] : changed) {
    asked->set(name, value);
    has_width = has_width || name == "d";
  }
  auto settings = adapted(preset(wanted, size, has_width ? std::stoull(asked->get("d")) : 0), wanted, size, *asked);
  for (const auto& [name, value] : changed) settings->set(name, value);
  return settings;
}

std::vector<std::string> gradient_search_ranges() {
  return {"learning_rate=3e-4..1e-2:log", "weight_decay=1e-6..1e-3:log", "dropout=0..0.8"};
}

}  // namespace linn
