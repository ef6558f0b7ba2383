// The options of a struct as JSON in the metadata of a file or a configuration: an object of texts, as its table reads
// and writes them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/base/options.h"
#include "linn/base/settings.h"

namespace linn {

template <class Struct>
Json options_object(const OptionTable<Struct>& table, const Struct& options) {
  Json object = Json::object();
  for (const auto& option : table.options()) object[option.name] = option.get(options);
  return object;
}

template <class Struct>
std::string options_to_json(const OptionTable<Struct>& table, const Struct& options) {
  return options_object(table, options).dump();
}

inline Json settings_to_json(const Settings& settings) {
  Json object = Json::object();
  for (const auto& [name, value] : settings.values()) object[name] = value;
  return object;
}

// The entries of such an object. Throws InputError naming the file.
inline std::vector<std::pair<std::string, std::string>> values_from_json(const std::string& text,
                                                                         const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) { throw InputError(why, Place{path.string(), 0, 0}); };
  const auto object = parse_json(text);
  if (!object.is_object()) refuse("the options of the model are not a JSON object");
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) refuse(fmt::format("the model's option '{}' is not a string", name));
    values.emplace_back(name, value.template get<std::string>());
  }
  return values;
}

// Sets what the text names; the rest stays. Throws InputError naming the file.
template <class Struct>
void options_from_json(const OptionTable<Struct>& table, const std::string& text, const std::filesystem::path& path,
                       Struct& options) {
  for (const auto& [name, value] : values_from_json(text, path)) {
    try {
      table.set(options, name, value);
    } catch (const InputError& error) {
      throw InputError(error.message(), Place{path.string(), 0, 0});
    }
  }
}

}  // namespace linn
