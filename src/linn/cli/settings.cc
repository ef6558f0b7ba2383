#include "linn/cli/settings.h"

#include <string_view>

#include "linn/base/error.h"
#include "linn/base/file.h"

namespace linn::cli {

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

std::vector<std::string> settings_of_json(const Json& object, const std::filesystem::path& path) {
  const Json& settings = object.contains("options") ? object["options"] : object;
  if (!settings.is_object()) throw InputError("the options must be a JSON object", Place{path.string(), 0, 0});
  std::vector<std::string> result;
  for (const auto& [key, value] : settings.items()) {
    if (value.is_structured() || value.is_null()) {
      throw InputError(fmt::format("the value of '{}' must be a number, true, false or text", key),
                       Place{path.string(), 0, 0});
    }
    result.push_back(fmt::format("{}={}", key, value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return result;
}

}  // namespace

std::vector<std::string> read_settings(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    try {
      return settings_of_json(Json::parse(text), path);
    } catch (const Json::parse_error& error) {
      throw InputError(fmt::format("this is no JSON: {}", error.what()), Place{path.string(), 0, 0});
    }
  }
  std::vector<std::string> settings;
  LineReader lines(text, path);
  for (std::string_view line; lines.next(line);) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::size_t equals = content.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw InputError("expected KEY = VALUE", Place{path.string(), lines.line_number(), 0});
    }
    settings.push_back(fmt::format("{}={}", trimmed(std::string_view(content).substr(0, equals)),
                                   trimmed(std::string_view(content).substr(equals + 1))));
  }
  return settings;
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

}  // namespace linn::cli
