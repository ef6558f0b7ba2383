#include "linn/model/run_config.h"

#include "linn/base/error.h"

namespace linn {

Json read_config(const RunFolder& folder) {
  Json config = Json::parse(folder.config(), nullptr, false);
  const auto has_text = [&](const char* key) { return config.contains(key) && config[key].is_string(); };
  bool valid = config.is_object() && has_text("task") && has_text("model") && has_text("data") &&
               config.contains("seed") && config["seed"].is_number_unsigned();
  valid = valid && (!config.contains("snapshots") || has_text("snapshots"));
  valid = valid && (!config.contains("label_noise") || has_text("label_noise"));
  valid = valid && (config["task"] != "recommend" || config.contains("options"));
  if (valid && config.contains("options")) {
    valid = config["options"].is_object();
    for (const auto& [key, value] : config["options"].items()) valid = valid && value.is_string();
  }
  if (!valid) throw InputError("expected the configuration of a run", Place{folder.config_path().string(), 0, 0});
  return config;
}

}  // namespace linn
