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
constexpr std::string_view kOptimizerPrefix = "optimizer.";

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

// A matrix's values are contiguous in the block of parameters.
void add_tensors(SafetensorsWriter& out, const LogicModel& model) {
  const ParameterSet& parameters = model.network.parameters();
  for (const ParameterInfo& info : parameters.list()) {
    out.add(info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
  out.add(kTrueName, {model.network.width()}, model.network.true_vector());
  out.add(model.variables.name(), {model.variables.rows(), model.variables.width()}, model.variables.values());
}

void read_tensors(const SafetensorsFile& in, LogicModel& model) {
  ParameterSet& parameters = model.network.parameters();
  for (const ParameterInfo& info : parameters.list()) {
    in.copy(info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
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
  const auto state_name = [](const std::string& name) { return std::string(kOptimizerPrefix) + name; };
  const auto floats = optimizer.float_state();
  const auto counts = optimizer.count_state();
  for (const auto& state : floats) out.add(state_name(state.name), {state.values.size()}, state.values);
  for (const auto& state : counts) out.add(state_name(state.name), {state.values.size()}, state.values);
  const std::uint64_t counters[] = {position.epoch, position.best_epoch};
  const double figures[] = {position.best_accuracy, position.best_log_loss, position.seconds};
  out.add("position", {2}, std::span(counters));
  out.add("figures", {3}, std::span(figures));
  out.add("random", {position.random.size()}, std::span(position.random));
  out.write(path);
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
  const auto state_name = [](const std::string& name) { return std::string(kOptimizerPrefix) + name; };
  for (const auto& state : optimizer.float_state())
    in.copy(state_name(state.name), {state.values.size()}, state.values);
  for (const auto& state : optimizer.count_state())
    in.copy(state_name(state.name), {state.values.size()}, state.values);
  optimizer.restored();
  TrainingPosition position;
  std::uint64_t counters[2] = {};
  in.copy("position", {2}, std::span<std::uint64_t>(counters));
  position.epoch = counters[0];
  position.best_epoch = counters[1];
  double figures[3] = {};
  in.copy("figures", {3}, std::span<double>(figures));
  position.best_accuracy = figures[0];
  position.best_log_loss = figures[1];
  position.seconds = figures[2];
  in.copy("random", {position.random.size()}, std::span<std::uint64_t>(position.random));
  return position;
}

}  // namespace linn
