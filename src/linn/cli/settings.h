// Settings of a training as the command line gives them and as a run's configuration holds them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/options.h"
#include "linn/cli/program.h"

namespace linn::cli {

// Of --set KEY=VALUE.
std::pair<std::string, std::string> split_setting(const std::string& text);

// The settings of a file, as KEY=VALUE: lines KEY = VALUE with # for comments, or a JSON object; in a run's
// config.json those under "options". Throws InputError.
std::vector<std::string> read_settings(const std::filesystem::path& path);

// A run goes on with the settings it was started with; only how long it trains may change. The same command may be
// given again, another one may not: throws InputError.
void check_same(const Json& run, const Json& given);

template <class Struct>
Json settings_to_json(const OptionTable<Struct>& table, const Struct& options) {
  Json settings = Json::object();
  for (const auto& option : table.options()) settings[option.name] = option.get(options);
  return settings;
}

template <class Struct>
void settings_from_json(const OptionTable<Struct>& table, const Json& settings, Struct& options) {
  for (auto it = settings.begin(); it != settings.end(); ++it)
    table.set(options, it.key(), it.value().get<std::string>());
}

// For --help, a line a setting.
template <class Struct>
std::string settings_help(const OptionTable<Struct>& table) {
  std::string text;
  for (const auto& option : table.options()) {
    text += fmt::format("  {:<24} {} ({})\n", option.name, option.help, option.range);
  }
  return text;
}

}  // namespace linn::cli
