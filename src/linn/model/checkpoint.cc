#include "linn/model/checkpoint.h"

#include <string>

namespace linn {
namespace {

std::string state_name(const std::string& name) { return "optimizer." + name; }

}  // namespace

// A matrix's values are contiguous in the block of parameters.
void add_parameters(SafetensorsWriter& out, const ParameterSet& parameters) {
  for (const ParameterInfo& info : parameters.list()) {
    out.add(info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
}

void read_parameters(const SafetensorsFile& in, ParameterSet& parameters) {
  for (const ParameterInfo& info : parameters.list()) {
    in.copy(info.name, {info.rows, info.cols}, parameters.values().subspan(info.offset, info.size()));
  }
}

void write_checkpoint(SafetensorsWriter& out, Optimizer& optimizer, const TrainingPosition& position,
                      const std::filesystem::path& path) {
  for (const auto& state : optimizer.float_state()) {
    out.add(state_name(state.name), {state.values.size()}, state.values);
  }
  for (const auto& state : optimizer.count_state()) {
    out.add(state_name(state.name), {state.values.size()}, state.values);
  }
  const std::uint64_t counters[] = {position.epoch, position.best_epoch};
  const double figures[] = {position.best_score, position.best_loss, position.seconds};
  out.add("position", {2}, std::span(counters));
  out.add("figures", {3}, std::span(figures));
  out.add("random", {position.random.size()}, std::span(position.random));
  out.write(path);
}

TrainingPosition read_training_state(const SafetensorsFile& in, Optimizer& optimizer) {
  for (const auto& state : optimizer.float_state()) {
    in.copy(state_name(state.name), {state.values.size()}, state.values);
  }
  for (const auto& state : optimizer.count_state()) {
    in.copy(state_name(state.name), {state.values.size()}, state.values);
  }
  optimizer.restored();
  TrainingPosition position;
  std::uint64_t counters[2] = {};
  in.copy("position", {2}, std::span<std::uint64_t>(counters));
  position.epoch = counters[0];
  position.best_epoch = counters[1];
  double figures[3] = {};
  in.copy("figures", {3}, std::span<double>(figures));
  position.best_score = figures[0];
  position.best_loss = figures[1];
  position.seconds = figures[2];
  in.copy("random", {position.random.size()}, std::span<std::uint64_t>(position.random));
  return position;
}

}  // namespace linn
