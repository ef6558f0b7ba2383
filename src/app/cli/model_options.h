// Options that choose a model and its settings.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/program.h"
#include "app/task_kinds.h"

namespace linn::app {

// --model, --preset and --set.
std::vector<CLI::Option*> add_model_options(CLI::App& command, ModelChoice& choice);

// The choice with all settings of `linn train`.
struct ModelOptions : ModelChoice {
  std::string config;                            // a file of settings
  std::map<std::string, std::string> shortcuts;  // settings with options of their own; empty: not given
  std::string label_noise;                       // P or auto

  // The preset, changed by the file, then by the command line. Throws InputError.
  std::unique_ptr<Settings> settings_for(const DataSize& size) const;
  // The same with the settings of a run in place of the preset.
  std::unique_ptr<Settings> settings_from(const NamedValues& run) const;

 private:
  // What the file and the command line change; `known` has all settings of the model, and gets the changes.
  NamedValues changes(Settings& known) const;
};
// Returns the options that a resumed run must share, which are all but --epochs and --patience.
std::vector<CLI::Option*> add_training_options(CLI::App& command, ModelOptions& options);

}  // namespace linn::app
