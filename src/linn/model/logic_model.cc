#include "linn/model/logic_model.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "linn/base/error.h"
#include "linn/model/names_json.h"
#include "linn/model/safetensors.h"
#include "linn/nn/network_option_table.h"

namespace linn {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kNetworkKey = "network";
constexpr std::string_view kVocabularyKey = "vocabulary";
constexpr std::string_view kTrueName = "true";

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& why) {
  throw InputError(why, Place{path.string(), 0, 0});
}

std::string options_to_json(const NetworkOptions& options) {
  Json object;
  const auto table = network_option_table();
  for (const auto& option : table.options()) object[option.name] = option.get(options);
  return object.dump();
}

NetworkOptions options_from_json(const std::string& text, const std::filesystem::path& path) {
  NetworkOptions options;
  const Json object = Json::parse(text, nullptr, false);
  if (!object.is_object()) refuse(path, "the shape of the network is not a JSON object");
  const auto table = network_option_table();
  for (const auto& [name, value] : object.items()) {
    if (!value.is_string()) refuse(path, fmt::format("the network's option '{}' is not text", name));
    try {
      table.set(options, name, value.get<std::string>());
    } catch (const InputError& error) {
      refuse(path, error.message());
    }
  }
  return options;
}

void add_tensors(SafetensorsWriter& out, const LogicModel& model) {
  add_parameters(out, model.network.parameters());
  out.add(kTrueName, {model.network.width()}, model.network.true_vector());
  out.add(model.variables.name(), {model.variables.rows(), model.variables.width()}, model.variables.values());
}

void read_tensors(const SafetensorsFile& in, LogicModel& model) {
  read_parameters(in, model.network.parameters());
  in.copy(kTrueName, {model.network.width()}, model.network.true_vector());
  in.copy(model.variables.name(), {model.variables.rows(), model.variables.width()}, model.variables.values());
  model.network.prepare();
}

}  // namespace

void save_model(const LogicModel& model, const std::filesystem::path& path, const ModelNotes& notes) {
  SafetensorsWriter out;
  for (const auto& [key, value] : notes) out.set_metadata(key, value);
  add_tensors(out, model);
  out.set_metadata(std::string(kNetworkKey), options_to_json(model.network.options()));
  out.set_metadata(std::string(kVocabularyKey), names_to_json(model.names));
  out.write(path);
}

LogicModel load_model(const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  LogicModel model(options_from_json(in.metadata(kNetworkKey), path),
                   names_from_json(in.metadata(kVocabularyKey), path));
  read_tensors(in, model);
  return model;
}

void save_checkpoint(const LogicModel& model, Optimizer& optimizer, const TrainingPosition& position,
                     const std::filesystem::path& path) {
  SafetensorsWriter out;
  add_tensors(out, model);
  out.set_metadata(std::string(kNetworkKey), options_to_json(model.network.options()));
  out.set_metadata(std::string(kVocabularyKey), names_to_json(model.names));
  write_checkpoint(out, optimizer, position, path);
}

TrainingPosition load_checkpoint(LogicModel& model, Optimizer& optimizer, const std::filesystem::path& path) {
  const SafetensorsFile in = SafetensorsFile::read(path);
  if (in.metadata(kNetworkKey) != options_to_json(model.network.options())) {
    refuse(path, "the network of this checkpoint has another shape");
  }
  if (in.metadata(kVocabularyKey) != names_to_json(model.names)) {
    refuse(path, "this checkpoint was made for other variables");
  }
  read_tensors(in, model);
  return read_training_state(in, optimizer);
}

}  // namespace linn
