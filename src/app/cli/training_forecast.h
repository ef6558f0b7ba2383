// What a long training says once it is known how long it will be.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "linn/base/context.h"
#include "linn/train/model_kind.h"

namespace linn::app {

// Options with which an epoch of the model, with these settings of the preset best, takes half the time or less; empty
// if there are none.
std::string faster_options(std::string_view model, const NamedValues& settings);

// Measures the first batches, and then says once how long all epochs will take, if that is more than two minutes.
class TrainingForecast {
 public:
  explicit TrainingForecast(std::string faster) : faster_(std::move(faster)) {}

  // The line to print, when it is time for it.
  std::optional<std::string> at(const Progress& progress, std::chrono::steady_clock::time_point now);

 private:
  std::string faster_;
  bool said_ = false;
  std::optional<std::chrono::steady_clock::time_point> started_;
  std::size_t first_done_ = 0;
};

}  // namespace linn::app
