// The options of a struct as JSON, in the metadata of a file or in a configuration: an object of strings, as its table
// reads and writes them.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "linn/base/error.h"
#include "linn/base/json.h"
#include "linn/base/options.h"

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

// Sets the options present in the text and leaves the others unchanged. Throws InputError naming the file.
template <class Struct>
void options_from_json(const OptionTable<Struct>& table, const std::string& text, const std::filesystem::path& path,
                       Struct& options) {
  const auto refuse = [&](const std::string& why) { throw InputError(why, Place{path.string(), 0, 0}); };
  const auto object = Json::parse(text, nullptr, false);
  if (!object.is_object()) refuse("the options of the model are not a JSON object");
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) refuse(fmt::format("the model's option '{}' is not a string", name));
    try {
      table.set(options, name, value.template get<std::string>());
    } catch (const InputError& error) {
      refuse(error.message());
    }
  }
}

}  // namespace linn
