#include "app/cli/settings.h"

#include <string_view>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::app {

std::pair<std::string, std::string> split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--set takes KEY=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

using Settings = std::vector<std::pair<std::string, std::string>>;

// Where the search for the share of wrong labels begins.
constexpr const char* kFirstFlipRate = "0.05";
constexpr double kMostFlipRate = 0.49;

void add_checked(const SettingCheck& check, const std::string& key, const std::string& value, const Place& place,
                 Settings& settings) {
  try {
    check(key, value);
  } catch (const InputError& error) {
    throw InputError(error.message(), place);
  }
  settings.emplace_back(key, value);
}

Settings settings_of_json(const Json& object, const std::filesystem::path& path, const SettingCheck& check) {
  const Json& options = object.contains("options") ? object["options"] : object;
  const Place place = {path.string(), 0, 0};
  if (!options.is_object()) throw InputError("the options must be a JSON object", place);
  Settings settings;
  for (const auto& [key, value] : options.items()) {
    if (value.is_structured() || value.is_null()) {
      throw InputError(fmt::format("the value of '{}' must be a number, true, false or text", key), place);
    }
    add_checked(check, key, value.is_string() ? value.get<std::string>() : value.dump(), place, settings);
  }
  return settings;
}

}  // namespace

double label_noise_share(const std::string& noise) {
  try {
    return options_detail::parse_number("--label-noise", noise, 0.0, kMostFlipRate);
  } catch (const InputError& error) {
    throw InputError(error.message() + "; or auto");
  }
}

Settings label_noise_settings(const std::string& noise) {
  if (noise.empty()) return {};
  if (noise == "auto") return {{"flip_rate", kFirstFlipRate}, {"learn_flip_rate", "true"}};
  label_noise_share(noise);
  return {{"flip_rate", noise}};
}

Settings read_settings(const std::filesystem::path& path, const SettingCheck& check) {
  const std::string text = read_file(path);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    Json object;
    try {
      object = Json::parse(text);
    } catch (const Json::parse_error& error) {
      throw InputError(fmt::format("this is no JSON: {}", error.what()), Place{path.string(), 0, 0});
    }
    return settings_of_json(object, path, check);
  }
  Settings settings;
  LineReader lines(text, path);
  for (std::string_view line; lines.next(line);) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const Place place = {path.string(), lines.line_number(), 0};
    const std::size_t equals = content.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("expected KEY = VALUE", place);
    add_checked(check, trimmed(std::string_view(content).substr(0, equals)),
                trimmed(std::string_view(content).substr(equals + 1)), place, settings);
  }
  return settings;
}

void keep_changes(RunFolder& folder, Json config, const Json& settings) {
  if (config["options"] == settings) return;
  if (std::stoull(settings["epochs"].get<std::string>()) < folder.metrics().size()) return;
  config["options"] = settings;
  folder.replace_config(config.dump(2));
}

void check_same(const Json& run, const Json& given) {
  for (const auto& [key, value] : given.items()) {
    if (key == "epochs" || key == "patience") continue;
    if (value.is_object()) {
      check_same(run.contains(key) ? run[key] : Json::object(), value);
    } else if (!run.contains(key) || run[key] != value) {
      throw InputError(fmt::format("the run that is resumed was started with {} {}, not {}", key,
                                   run.contains(key) ? run[key].dump() : "unset", value.dump()));
    }
  }
}

}  // namespace linn::app
