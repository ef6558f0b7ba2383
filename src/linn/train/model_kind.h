// A kind of model: its name, options and presets. What depends on the task is in equations/equation_kind.h and
// recommend/protocol/recommender_kind.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "linn/base/settings.h"

namespace linn {

class TrainingDevice;

// Complete settings to start from: the best known ones, those of the paper, those of the authors' program.
enum class Preset : std::uint8_t { kBest, kPaper, kAuthors };

// "best", "paper" or "authors"; preset_of() throws InputError for other names.
Preset preset_of(std::string_view name);
std::string_view preset_name(Preset preset);

// Presets depend on the size of the data.
struct DataSize {
  std::size_t rows = 0;   // equations or ratings in all splits
  std::size_t users = 0;  // 0: unknown, or there are none
  std::size_t items = 0;  // the same
};

using NamedValues = std::vector<std::pair<std::string, std::string>>;

class ModelKind {
 public:
  virtual ~ModelKind() = default;

  // The name in settings and model files.
  virtual std::string_view name() const = 0;
  // False: the model is fitted in closed form.
  virtual bool trains_by_epochs() const { return true; }

  // Whether a GPU can train it.
  virtual bool trains_on_devices() const { return false; }
  // Throws InputError if this device (null: the CPU) cannot train it.
  void check_device(const TrainingDevice* device) const;

  // The settings of a preset. A width other than 0 replaces that of the preset, and the hidden layers scale with it.
  virtual std::unique_ptr<Settings> preset(Preset preset, const DataSize& size, std::size_t width = 0) const = 0;
  // The same preset where `asked` has other values of settings that its remaining settings depend on, besides the
  // width.
  // Throws InputError if the preset has no such settings.
  virtual std::unique_ptr<Settings> adapted(std::unique_ptr<Settings> settings, Preset, const DataSize&,
                                            const Settings& asked) const {
    static_cast<void>(asked);
    return settings;
  }
  // Throws InputError for settings that contradict each other.
  virtual void check(const Settings&) const {}

  // The default ranges of a hyperparameter search, as KEY=LOW..HIGH; empty: there is nothing to search.
  virtual std::vector<std::string> search_ranges(Preset preset) const = 0;
  // The approximate time in seconds of a training on one core, on the paper's smaller data set.
  virtual double cost() const = 0;

  // The preset with some settings changed, after check(). Throws InputError.
  std::unique_ptr<Settings> settings(Preset preset, const DataSize& size,
                                     std::span<const NamedValues::value_type> changed) const;
  // The settings of a stored run, which may use old names. Throws InputError.
  std::unique_ptr<Settings> stored_settings(std::span<const NamedValues::value_type> values) const;

 private:
  std::unique_ptr<Settings> changed_preset(Preset preset, const DataSize& size,
                                           std::span<const NamedValues::value_type> changed) const;
};

// The ranges that all models trained by gradient descent share.
std::vector<std::string> gradient_search_ranges();

// The kinds of models for a task.
template <class Kind>
class Registry {
 public:
  void add(std::unique_ptr<const Kind> kind) { kinds_.push_back(std::move(kind)); }

  std::vector<const Kind*> kinds() const {
    std::vector<const Kind*> all;
    for (const auto& kind : kinds_) all.push_back(kind.get());
    return all;
  }

  // Null if there is no kind of this name.
  const Kind* find(std::string_view name) const {
    for (const auto& kind : kinds_) {
      if (kind->name() == name) return kind.get();
    }
    return nullptr;
  }
  // Throws InputError for an unknown name, suggesting the most similar one.
  const Kind& require(std::string_view name) const {
    if (const Kind* kind = find(name)) return *kind;
    std::vector<std::string> known;
    for (const auto& kind : kinds_) known.emplace_back(kind->name());
    options_detail::refuse_choice("model", name, known);
  }

 private:
  std::vector<std::unique_ptr<const Kind>> kinds_;
};

// The options behind settings, which must be of this type.
template <class Options>
const Options& options_of(const Settings& settings) {
  return static_cast<const SettingsOf<Options>&>(settings).options;
}

}  // namespace linn
