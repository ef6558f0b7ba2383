// What long commands show while they work, and how they are stopped.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "linn/base/context.h"

namespace linn::app {

// A line on standard error that is overwritten in a terminal, and now and then a new one elsewhere.
class ProgressLine {
 public:
  explicit ProgressLine(bool quiet);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);

 private:
  bool quiet_;
  bool terminal_;
  bool shown_ = false;
  std::string what_;
  std::size_t first_done_ = 0;
  std::chrono::steady_clock::time_point started_, last_shown_;
};

// From now on the context's work is shown on the line, which must live as long, and Ctrl-C or SIGTERM asks it to
// stop.
void watch(Context& context, ProgressLine& line);

}  // namespace linn::app
