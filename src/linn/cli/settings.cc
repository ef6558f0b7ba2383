#include "linn/cli/settings.h"

#include "linn/base/error.h"

namespace linn::cli {

std::pair<std::string, std::string> split_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) throw InputError(fmt::format("--set takes KEY=VALUE, not '{}'", text));
  return {text.substr(0, equals), text.substr(equals + 1)};
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
