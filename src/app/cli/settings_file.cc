#include "app/cli/settings_file.h"

#include <fmt/format.h>

#include "linn/base/file.h"
#include "linn/base/json.h"

namespace linn::app {
namespace {

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

std::vector<GivenSetting> settings_of_json(const std::string& text, const Place& file) {
  const Json object = parse_json(text);
  if (object.is_discarded()) throw InputError("expected a JSON object, but the file is not valid JSON", file);
  const bool nested = object.is_object() && object.contains("options");
  const Json& options = nested ? object["options"] : object;
  if (!options.is_object())
    throw InputError(nested ? "\"options\" must be a JSON object" : "expected a JSON object", file);
  std::vector<GivenSetting> settings;
  for (const auto& [name, value] : options.items()) {
    if (value.is_structured() || value.is_null()) {
      throw InputError(fmt::format("the value of '{}' must be a number, true, false or text", name), file);
    }
    settings.push_back({name, value.is_string() ? value.get<std::string>() : value.dump(), file});
  }
  return settings;
}

}  // namespace

std::vector<GivenSetting> read_settings_file(const std::filesystem::path& path) {
  const std::string text = read_file(path);
  if (const std::size_t first = text.find_first_not_of(" \t\r\n"); first != std::string::npos && text[first] == '{') {
    return settings_of_json(text, {path.string(), 0, 0});
  }
  std::vector<GivenSetting> settings;
  LineReader lines(text, path);
  for (std::string_view line; lines.next(line);) {
    const std::string content = trimmed(line.substr(0, line.find('#')));
    if (content.empty()) continue;
    const Place place = {path.string(), lines.line_number(), 0};
    const std::size_t equals = content.find('=');
    if (equals == std::string::npos || equals == 0) throw InputError("expected KEY = VALUE", place);
    settings.push_back({trimmed(std::string_view(content).substr(0, equals)),
                        trimmed(std::string_view(content).substr(equals + 1)), place});
  }
  return settings;
}

}  // namespace linn::app
