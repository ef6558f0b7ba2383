// The progress line of long commands.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "app/cli/training_forecast.h"
#include "linn/base/context.h"

namespace linn::app {

// One line on standard error that is overwritten in a terminal; elsewhere a new line every few seconds.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Training will be shown, so a line is due when it turns out to be long.
  void expect_training(std::string faster) { forecast_.emplace(std::move(faster)); }

  void show(const Progress& progress);

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::optional<TrainingForecast> forecast_;
  std::string what_;
  std::size_t first_done_ = 0;
  std::chrono::steady_clock::time_point started_, last_shown_;
};

// Shows the progress of the context on the line, which must outlive it, and lets Ctrl-C and SIGTERM stop the work.
void watch(Context& context, ProgressLine& line);
// The same for work that is usually done at once, and has no safe points to stop at: nothing is shown in the first
// second, and signals end the program as usual.
void watch_fit(Context& context, ProgressLine& line);

}  // namespace linn::app
