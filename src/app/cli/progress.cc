#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>

#include "app/cli/stop_signals.h"

namespace linn::app {
ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) fmt::print(stderr, "\n");
}

void ProgressLine::show(const Progress& progress) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
  if (forecast_) {
    if (const auto line = forecast_->at(progress, now)) {
      fmt::print(stderr, "{}linn: {}\n", terminal_ && shown_ ? "\n" : "", *line);
    }
  }
  const bool last = progress.done == progress.total;
  const auto pause = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (shown_ && !last && now - last_shown_ < pause) return;
  if (!shown_ || progress.what != what_) {  // a new phase restarts the clock
    what_ = progress.what;
    started_ = now;
    first_done_ = progress.done - 1;
  }
  last_shown_ = now;
  shown_ = true;
  const double share = static_cast<double>(progress.done) / static_cast<double>(progress.total);
  const double passed = std::chrono::duration<double>(now - started_).count();
  const double per_part = passed / static_cast<double>(progress.done - first_done_);
  const double left = per_part * static_cast<double>(progress.total - progress.done);
  constexpr std::size_t kBar = 24;
  const auto filled = static_cast<std::size_t>(share * kBar);
  const std::string loss = std::isnan(progress.value) ? "" : fmt::format("  loss {:.4f}", progress.value);
  // At its first sight of a phase, the line knows nothing about its speed.
  const std::string time = passed > 0 || last ? fmt::format("  {:.0f} s left", left) : "";
  fmt::print(stderr, "{}{} [{}{}] {:3.0f}%{}{}{}{}{}", terminal_ ? "\r" : "", progress.what, std::string(filled, '#'),
             std::string(kBar - filled, '.'), 100 * share, loss, progress.note.empty() ? "" : "  ", progress.note, time,
             terminal_ ? "   " : "\n");
}

void watch(Context& context, ProgressLine& line) {
  context.set_progress([&line](const Progress& progress) {
    line.show(progress);
    return !asked_to_stop();
  });
  hear_stop_signals();
}

void watch_fit(Context& context, ProgressLine& line) {
  static constexpr auto kPatience = std::chrono::seconds(1);
  context.set_progress([&line, started = std::chrono::steady_clock::now()](const Progress& progress) {
    if (std::chrono::steady_clock::now() - started > kPatience) line.show(progress);
    return true;
  });
}

}  // namespace linn::app
