// What `linn train` and `linn tune` are told about a model, for both tasks.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/program.h"
#include "app/task_kinds.h"
#include "linn/train/model_kind.h"

namespace linn::app {

// Everything that says which model is trained, and how.
struct TrainRequest {
  explicit TrainRequest(std::string_view for_task) : task(for_task) {}

  std::string task;
  std::string model = "linn";
  Preset preset = Preset::kBest;
  bool preset_given = false;
  std::string config;                           // a file of settings
  std::vector<std::string> settings;            // KEY=VALUE
  std::map<std::string, std::string> shortcuts;  // settings that have options of their own; empty: not given
  std::string label_noise;                      // P or auto

  const ModelKind& kind() const { return model_kind(task, model); }

  // All settings: the preset, then the file, then what was set. Throws InputError.
  std::unique_ptr<Settings> resolve(const DataSize& size) const;
};

// --model, --preset, --config, --set and the options for single settings, with the help on all settings.
void add_request_options(CLI::App& command, TrainRequest& request);
// Whether one of these options was given that a run's configuration holds too. Epochs and patience do not count.
bool is_configured(const CLI::App& command);

// KEY and VALUE of --set KEY=VALUE.
NamedValues::value_type split_setting(const std::string& text);

}  // namespace linn::app
