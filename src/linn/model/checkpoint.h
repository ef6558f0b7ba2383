// What every checkpoint stores besides the model: the state of the optimizer, the progress of the training, and the
// state of the random number generator.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "linn/base/random.h"
#include "linn/model/safetensors.h"
#include "linn/nn/parameters.h"
#include "linn/optim/averaging.h"
#include "linn/optim/optimizer.h"

namespace linn {

// What resuming a training requires besides the model and the optimizer.
struct TrainingPosition {
  std::uint64_t epoch = 0;       // completed epochs
  std::uint64_t best_epoch = 0;  // 0: none yet
  double best_score = 0.0;       // on validation data, see EpochScore
  double best_loss = 0.0;
  double seconds = 0.0;      // spent on training
  double label_noise = 0.0;  // the current estimate
  Random::State random{};
};

// Adds every matrix under its name with the prefix. The writer keeps views: the set must outlive the write and stay in
// place.
void add_parameters(SafetensorsWriter& out, const ParameterSet& parameters, const std::string& prefix = {});
void read_parameters(const SafetensorsFile& in, ParameterSet& parameters, const std::string& prefix = {});

// Adds the state of an optimizer in the same way. It is read into an optimizer of the same kind, bound to a model of
// the same shape; throws InputError if they differ.
void add_optimizer(SafetensorsWriter& out, Optimizer& optimizer, const std::string& prefix = {});
void read_optimizer(const SafetensorsFile& in, Optimizer& optimizer, const std::string& prefix = {});

// The same for a weight average.
void add_average(SafetensorsWriter& out, WeightAverage& average, const std::string& prefix = {});
void read_average(const SafetensorsFile& in, WeightAverage& average, const std::string& prefix = {});

// Stored in the metadata as JSON. position_from_json throws InputError naming the file.
std::string position_to_json(const TrainingPosition& position);
TrainingPosition position_from_json(const std::string& text, const std::filesystem::path& path);
inline constexpr std::string_view kPositionKey = "position";
void add_position(SafetensorsWriter& out, const TrainingPosition& position);
TrainingPosition read_position(const SafetensorsFile& in);

}  // namespace linn
