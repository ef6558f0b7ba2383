#include "linn/model/run_config.h"

#include "linn/base/error.h"

namespace linn {

Json read_config(const RunFolder& folder) {
  Json config = Json::parse(folder.config(), nullptr, false);
  const auto has_text = [&](const char* key) { return config.contains(key) && config[key].is_string(); };
  bool good = config.is_object() && has_text("task") && has_text("model") && has_text("data") &&
              config.contains("seed") && config["seed"].is_number_unsigned();
  good = good && (!config.contains("snapshots") || has_text("snapshots"));
  good = good && (!config.contains("label_noise") || has_text("label_noise"));
  good = good && (config["task"] != "recommend" || config.contains("options"));
  if (good && config.contains("options")) {
    good = config["options"].is_object();
    for (const auto& [key, value] : config["options"].items()) good = good && value.is_string();
  }
  if (!good) throw InputError("not the configuration of a run", Place{folder.config_path().string(), 0, 0});
  return config;
}

}  // namespace linn
