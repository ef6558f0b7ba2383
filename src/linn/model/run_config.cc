#include "linn/model/run_config.h"

#include <fmt/format.h>

#include <algorithm>

#include "linn/base/error.h"
#include "linn/base/file.h"
#include "linn/base/json.h"

namespace linn {
namespace {

// Of a run of 0.1.0 that was fitted at once; it had no other options.
void add_old_label_noise(const std::string& noise, RunConfig& config) {
  config.options.emplace_back("learn_label_noise", noise == "auto" ? "true" : "false");
  if (noise != "auto") config.options.emplace_back("label_noise", noise);
}

RunConfig config_of(const Json& json) {
  RunConfig config;
  json.at("task").get_to(config.task);
  json.at("model").get_to(config.model);
  json.at("data").get_to(config.data);
  json.at("seed").get_to(config.seed);
  if (json.contains("snapshots")) json["snapshots"].get_to(config.snapshots);
  if (json.contains("data_checksum")) json["data_checksum"].get_to(config.data_checksum);
  if (json.contains("from")) json["from"].get_to(config.from);
  if (json.contains("earlier_data")) {
    for (const Json& source : json["earlier_data"]) {
      config.earlier_data.push_back({source.at("data").get<std::string>(), source.at("seed").get<std::uint64_t>()});
    }
  }
  if (json.contains("earlier_checksum")) json["earlier_checksum"].get_to(config.earlier_checksum);
  if (json.contains("options")) {
    for (const auto& [name, value] : json["options"].items())
      config.options.emplace_back(name, value.get<std::string>());
  } else if (json.contains("label_noise")) {
    add_old_label_noise(json["label_noise"].get<std::string>(), config);
  }
  return config;
}

}  // namespace

std::string RunConfig::to_json() const {
  Json json = {{"task", task}, {"model", model}, {"data", data}, {"seed", seed}};
  if (!snapshots.empty()) json["snapshots"] = snapshots;
  if (!data_checksum.empty()) json["data_checksum"] = data_checksum;
  if (!from.empty()) json["from"] = from;
  for (const Source& source : earlier_data) {
    json["earlier_data"].push_back({{"data", source.data}, {"seed", source.seed}});
  }
  if (!earlier_checksum.empty()) json["earlier_checksum"] = earlier_checksum;
  json["options"] = Json::object();
  for (const auto& [name, value] : options) json["options"][name] = value;
  return json.dump(2) + "\n";
}

RunConfig parse_config(const std::string& text, const std::filesystem::path& file) {
  try {
    RunConfig config = config_of(parse_json(text));
    if (config.task == kEquationTask || config.task == kRecommendTask) return config;
  } catch (const Json::exception&) {
    // Something is missing, or of another type.
  }
  throw InputError("not the configuration of a run", Place{file.string(), 0, 0});
}

RunConfig read_config(const RunFolder& folder) {
  RunConfig config = parse_config(folder.config(), folder.config_path());
  const std::filesystem::path own = folder.path() / config.data;
  std::error_code ignored;
  if (!config.data.empty() && std::filesystem::path(config.data).is_relative() &&
      std::filesystem::exists(own, ignored)) {
    config.data = absolute_name(own);
  }
  return config;
}

void require_task(const RunConfig& config, std::string_view task, const std::filesystem::path& folder) {
  if (config.task == task) return;
  throw InputError(task == kEquationTask ? "this run is about recommendations, not equations"
                                         : "this run is about equations, not recommendations",
                   Place{folder.string(), 0, 0});
}

void require_same(const RunConfig& run, const RunConfig& given) {
  const auto compare = [](std::string_view what, const std::string& started, const std::string& now) {
    if (started == now) return;
    throw InputError(fmt::format("the run that is resumed was started with {} '{}', not '{}'", what, started, now));
  };
  compare("task", run.task, given.task);
  compare("model", run.model, given.model);
  compare("data", run.data, given.data);
  compare("seed", fmt::format("{}", run.seed), fmt::format("{}", given.seed));
  compare("snapshots", run.snapshots, given.snapshots);
  if (run.from != given.from) {
    throw InputError(run.from.empty() ? "the run that is resumed did not continue from another one"
                                      : fmt::format("the run that is resumed continues from '{}'", run.from));
  }
  for (const auto& [name, value] : given.options) {
    if (name == "epochs" || name == "patience") continue;
    const auto started = std::ranges::find(run.options, name, &std::pair<std::string, std::string>::first);
    compare(name, started == run.options.end() ? "unset" : started->second, value);
  }
}

}  // namespace linn
