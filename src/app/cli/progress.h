// The progress line of long commands.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "linn/base/context.h"

namespace linn::app {

// One line on standard error that is overwritten in a terminal; elsewhere a new line every few seconds.
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

// Shows the progress of the context on the line, which must outlive it, and lets Ctrl-C and SIGTERM stop the work.
void watch(Context& context, ProgressLine& line);

}  // namespace linn::app
