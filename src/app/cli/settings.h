// Settings of a training as the command line gives them and as a run's configuration holds them.
#pragma once

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "app/cli/program.h"
#include "linn/base/options.h"
#include "linn/model/run_folder.h"

namespace linn::app {

// Of --set KEY=VALUE.
std::pair<std::string, std::string> split_setting(const std::string& text);

// The share that --label-noise P gives. Throws InputError.
double label_noise_share(const std::string& noise);
// What --label-noise P or auto sets; nothing where it is empty. Throws InputError.
std::vector<std::pair<std::string, std::string>> label_noise_settings(const std::string& noise);

// The settings of a file, as KEY=VALUE: lines KEY = VALUE with # for comments, or a JSON object; in a run's
// config.json those under "options". `check` may refuse one; the complaint then names its place. Throws InputError.
using SettingCheck = std::function<void(const std::string& key, const std::string& value)>;
std::vector<std::pair<std::string, std::string>> read_settings(const std::filesystem::path& path,
                                                               const SettingCheck& check);

// Refuses what a table does not know or take. `scratch` is written to.
template <class Struct>
SettingCheck check_against(const OptionTable<Struct>& table, Struct scratch) {
  return [table, scratch](const std::string& key, const std::string& value) mutable { table.set(scratch, key, value); };
}

// A run goes on with the settings it was started with; only how long it trains may change. The same command may be
// given again, another one may not: throws InputError.
void check_same(const Json& run, const Json& given);

// A run that is resumed with other settings of how long it trains keeps them, unless it has trained for longer.
void keep_changes(RunFolder& folder, Json config, const Json& settings);

template <class Struct>
void settings_from_json(const OptionTable<Struct>& table, const Json& settings, Struct& options) {
  for (auto it = settings.begin(); it != settings.end(); ++it)
    table.set(options, it.key(), it.value().get<std::string>());
}

// For --help, a line a setting: what it is, what it may be, and what it is in the presets best, paper and authors.
template <class Struct>
std::string settings_help(const OptionTable<Struct>& table, const std::array<Struct, 3>& presets) {
  std::string text;
  for (const auto& option : table.options()) {
    const std::string best = option.get(presets[0]);
    const std::string paper = option.get(presets[1]);
    const std::string authors = option.get(presets[2]);
    const std::string values =
        best == paper && best == authors ? best : fmt::format("{}, paper {}, authors {}", best, paper, authors);
    text += fmt::format("  {:<24} {} ({}): {}\n", option.name, option.help, option.range, values);
  }
  return text;
}

}  // namespace linn::app
