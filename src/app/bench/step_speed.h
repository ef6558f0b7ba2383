// The speed of a training step relative to the peak of this machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "linn/nn/network_options.h"
#include "linn/train/training_device.h"

namespace linn::app {

enum class SpeedData : std::uint8_t { kEquations1k, kEquations10k, kMl100kDnf, kMl100kFactored };

struct SpeedCase {
  SpeedData data = SpeedData::kEquations1k;
  bool authors = true;  // the authors' widths and weighting of laws, or the paper's
  std::size_t width = 64;
  bool laws = true;
  std::size_t threads = 1;
};

struct SpeedResult {
  double gflop = 0.0;         // operations per step after sharing, in billions
  double seconds = 0.0;       // per step including plan and update, at the median speed
  double plan_seconds = 0.0;  // of that, building the plan
};

// Random batches of 128 like those of the named data. On a device (null: the CPU) a step is one of many that are
// queued, including its share of bringing the values there and back.
SpeedResult measure_step(const SpeedCase& speed_case, double seconds, std::uint64_t seed,
                         TrainingDevice* device = nullptr);

// All cases that `linn bench` shows for so many threads.
std::vector<SpeedCase> speed_cases(std::size_t threads);

std::string data_name(SpeedData data);
std::string form_name(SpeedData data);

}  // namespace linn::app
