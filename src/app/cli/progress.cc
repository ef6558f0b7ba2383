#include "app/cli/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/cli/stop_signals.h"

namespace linn::app {
ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
  if (shown_ && terminal_) fmt::print(stderr, "\n");
}

void ProgressLine::show(const Progress& progress) {
  if (quiet_) return;
  const auto now = std::chrono::steady_clock::now();
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
  const double left =
      passed * static_cast<double>(progress.total - progress.done) / static_cast<double>(progress.done - first_done_);
  constexpr std::size_t kBar = 24;
  const auto filled = static_cast<std::size_t>(share * kBar);
  fmt::print(stderr, "{}{} [{}{}] {:3.0f}%  loss {:.4f}{}{}  {:.0f} s left{}", terminal_ ? "\r" : "", progress.what,
             std::string(filled, '#'), std::string(kBar - filled, '.'), 100 * share, progress.value,
             progress.note.empty() ? "" : "  ", progress.note, left, terminal_ ? "   " : "\n");
}

void watch(Context& context, ProgressLine& line) {
  context.set_progress([&line](const Progress& progress) {
    line.show(progress);
    return !asked_to_stop();
  });
  hear_stop_signals();
}

}  // namespace linn::app
