#include "app/serve/access_log.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <utility>

namespace linn::app {

AccessLog::AccessLog() : thread_([this] { run(); }) {}

AccessLog::~AccessLog() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void AccessLog::add(std::string line) {
  constexpr std::size_t kMostWaiting = 100'000;
  line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1));
  line += '\n';
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() == kMostWaiting) {
      ++dropped_;
      return;
    }
    if (dropped_ > 0)
      waiting_.push_back(fmt::format("linn: {} lines of this log are lost\n", std::exchange(dropped_, 0)));
    waiting_.push_back(std::move(line));
  }
  wake_.notify_all();
}

void AccessLog::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::string line = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    const bool is_written = write(line);
    lock.lock();
    if (!is_written) return;
  }
}

// A pipe that is ready takes PIPE_BUF bytes without waiting.
bool AccessLog::write(const std::string& line) {
  constexpr int kPatience = 100;  // milliseconds between two looks at whether the log is to end
  while (true) {
    pollfd error = {STDERR_FILENO, POLLOUT, 0};
    if (::poll(&error, 1, kPatience) > 0) break;
    const std::lock_guard lock(mutex_);
    if (ending_) return false;
  }
  // Nobody may read any more; the service goes on.
  static_cast<void>(::write(STDERR_FILENO, line.data(), line.size()) < 0);
  return true;
}

}  // namespace linn::app
