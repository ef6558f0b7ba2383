// A kind of model: its name, its options and presets. What else a kind does depends on the task: equations/equation_kind.h
// and recommend/protocol/recommender_kind.h.
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

// Settings to start from: the best known, those of the paper's text, those of the authors' program.
enum class Preset : std::uint8_t { kBest, kPaper, kAuthors };

// "best", "paper", "authors", in this order.
const std::vector<std::string>& preset_names();
std::string_view preset_name(Preset preset);
// Throws InputError for another word.
Preset preset_of(std::string_view name);

// What presets depend on.
struct DataSize {
  std::size_t rows = 0;   // equations or ratings, in all splits
  std::size_t users = 0;  // 0: unknown, or none
};

using NamedValues = std::vector<std::pair<std::string, std::string>>;

class ModelKind {
 public:
  virtual ~ModelKind() = default;

  // As on the command line and in model files.
  virtual std::string_view name() const = 0;
  // Trained epoch by epoch, or fitted at once.
  virtual bool trains_by_epochs() const { return true; }

  // The options of a preset. A width other than 0 replaces the preset's, and hidden layers follow it.
  virtual std::unique_ptr<Settings> preset(Preset preset, const DataSize& size, std::size_t width = 0) const = 0;
  // Throws InputError for options that do not go together.
  virtual void check(const Settings& settings) const { static_cast<void>(settings); }

  // The ranges that a search takes where it is told none, as KEY=LOW..HIGH; none: there is nothing to search.
  virtual std::vector<std::string> search_ranges(Preset preset) const = 0;
  // About how many seconds a training takes on one core, on the paper's smaller data set.
  virtual double cost() const = 0;

  // The preset with some settings changed, checked. Throws InputError.
  std::unique_ptr<Settings> settings(Preset preset, const DataSize& size, std::span<const NamedValues::value_type> changed) const;
  // The settings of a stored run, which may use old names. Throws InputError.
  std::unique_ptr<Settings> stored_settings(std::span<const NamedValues::value_type> values) const;
};

// Those of every model that learns by gradients.
std::vector<std::string> gradient_search_ranges();

// The kinds of models for a task. One line each, in the task's registry file.
template <class Kind>
class Registry {
 public:
  void add(std::unique_ptr<const Kind> kind) { kinds_.push_back(std::move(kind)); }

  std::vector<const Kind*> kinds() const {
    std::vector<const Kind*> all;
    for (const auto& kind : kinds_) all.push_back(kind.get());
    return all;
  }

  // Null where there is none of this name.
  const Kind* find(std::string_view name) const {
    for (const auto& kind : kinds_) {
      if (kind->name() == name) return kind.get();
    }
    return nullptr;
  }
  // Throws InputError, suggesting the nearest name.
  const Kind& require(std::string_view name) const {
    if (const Kind* kind = find(name)) return *kind;
    std::vector<std::string> known;
    for (const auto& kind : kinds_) known.emplace_back(kind->name());
    options_detail::refuse_choice("model", name, known);
  }

 private:
  std::vector<std::unique_ptr<const Kind>> kinds_;
};

// The options of settings that are known to be of this type.
template <class Options>
const Options& options_of(const Settings& settings) {
  return static_cast<const SettingsOf<Options>&>(settings).options;
}

}  // namespace linn
