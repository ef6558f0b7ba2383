#include "linn/model/names_json.h"

#include <fmt/format.h>

#include "linn/base/error.h"
#include "linn/base/json.h"

namespace linn {

std::string names_to_json(const Vocabulary& names) { return Json(names.names()).dump(); }

Vocabulary names_from_json(const std::string& text, const std::filesystem::path& path) {
  const auto refuse = [&](const std::string& why) { throw InputError(why, Place{path.string(), 0, 0}); };
  const Json list = parse_json(text);
  if (!list.is_array()) refuse("the vocabulary is not a JSON list");
  Vocabulary names;
  for (const auto& name : list) {
    if (!name.is_string()) refuse("a name in the vocabulary is not a string");
    try {
      if (names.intern(name.get<std::string>()) + 1 == names.size()) continue;
    } catch (const InputError& error) {
      refuse(error.message());
    }
    refuse(fmt::format("the vocabulary contains '{}' twice", name.get<std::string>()));
  }
  return names;
}

}  // namespace linn
