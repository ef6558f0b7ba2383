#include "linn/model/checkpoint.h"

#include <utility>

#include "linn/base/error.h"
#include "linn/base/json.h"

namespace linn {
namespace {

std::string state_name(const std::string& prefix, const std::string& name) { return prefix + "optimizer." + name; }

}  // namespace

// The values of a matrix are contiguous in the parameter block.
void add_parameters(SafetensorsWriter& out, const ParameterSet& parameters, const std::string& prefix) {
  for (const ParameterInfo& info : parameters.list()) {
    out.add(prefix + info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
}

void read_parameters(const SafetensorsFile& in, ParameterSet& parameters, const std::string& prefix) {
  for (const ParameterInfo& info : parameters.list()) {
    in.copy(prefix + info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
}

void add_optimizer(SafetensorsWriter& out, Optimizer& optimizer, const std::string& prefix) {
  for (const auto& state : optimizer.float_state()) {
    out.add(state_name(prefix, state.name), {state.values.size()}, state.values);
  }
  for (const auto& state : optimizer.count_state()) {
    out.add(state_name(prefix, state.name), {state.values.size()}, state.values);
  }
}

void read_optimizer(const SafetensorsFile& in, Optimizer& optimizer, const std::string& prefix) {
  for (const auto& state : optimizer.float_state()) {
    in.copy(state_name(prefix, state.name), {state.values.size()}, state.values);
  }
  for (const auto& state : optimizer.count_state()) {
    in.copy(state_name(prefix, state.name), {state.values.size()}, state.values);
  }
  optimizer.restored();
}

void add_average(SafetensorsWriter& out, WeightAverage& average, const std::string& prefix) {
  for (const auto& state : average.float_state()) out.add(prefix + state.name, {state.values.size()}, state.values);
  out.add(prefix + "average.snapshots", {1}, std::span<const std::uint32_t>(average.snapshot_count()));
}

void read_average(const SafetensorsFile& in, WeightAverage& average, const std::string& prefix) {
  for (const auto& state : average.float_state()) in.copy(prefix + state.name, {state.values.size()}, state.values);
  in.copy(prefix + "average.snapshots", {1}, average.snapshot_count());
}

// JSON preserves 64-bit integers and every bit of a double.
std::string position_to_json(const TrainingPosition& position) {
  return Json{{"epoch", position.epoch},           {"best_epoch", position.best_epoch},
              {"best_score", position.best_score}, {"best_loss", position.best_loss},
              {"seconds", position.seconds},       {"label_noise", position.label_noise},
              {"random", position.random}}
      .dump();
}

TrainingPosition position_from_json(const std::string& text, const std::filesystem::path& path) {
  const Json json = parse_json(text);
  TrainingPosition position;
  bool valid = true;
  try {
    for (const auto& [name, epoch] :
         {std::pair("epoch", &position.epoch), std::pair("best_epoch", &position.best_epoch)}) {
      valid = valid && json.at(name).is_number_unsigned();  // a negative number would be read as a large one
      json.at(name).get_to(*epoch);
    }
    json.at("best_score").get_to(position.best_score);
    json.at("best_loss").get_to(position.best_loss);
    json.at("seconds").get_to(position.seconds);
    // Until 0.1.0 it was called flip_rate.
    json.at(json.contains("label_noise") ? "label_noise" : "flip_rate").get_to(position.label_noise);
    json.at("random").get_to(position.random);
  } catch (const Json::exception&) {
    valid = false;
  }
  constexpr std::size_t kMostEpochs = 1'000'000'000;
  if (!valid || position.epoch > kMostEpochs || position.best_epoch > position.epoch) {
    throw InputError("the checkpoint has no valid training position", Place{path.string(), 0, 0});
  }
  return position;
}

void add_position(SafetensorsWriter& out, const TrainingPosition& position) {
  out.set_metadata(std::string(kPositionKey), position_to_json(position));
}

TrainingPosition read_position(const SafetensorsFile& in) {
  return position_from_json(in.metadata(kPositionKey), in.path());
}

}  // namespace linn
