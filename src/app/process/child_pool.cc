#include "app/process/child_pool.h"

#include <chrono>
#include <exception>

namespace linn::app {

ChildPool::~ChildPool() {
  for (const auto& [process, number] : running_) terminate_child(process);
  for (const auto& [process, number] : running_) {
    try {
      wait_for_child(process);
    } catch (const std::exception&) {
      // It has been waited for elsewhere.
    }
  }
}

void ChildPool::add(pid_t process, std::size_t number) {
  running_.emplace(process, number);
  if (stopped_) terminate_child(process);
}

bool ChildPool::stopped() {
  if (!stopped_ && stop_()) {
    stopped_ = true;
    for (const auto& [process, number] : running_) terminate_child(process);
  }
  return stopped_;
}

std::optional<ChildPool::Ended> ChildPool::wait() {
  constexpr std::chrono::milliseconds kLimit(200);
  const auto ended = wait_for_any_child(kLimit);
  stopped();
  if (!ended) return std::nullopt;
  const auto found = running_.find(ended->process);
  if (found == running_.end()) return std::nullopt;  // not from this pool
  const Ended result = {found->second, *ended};
  running_.erase(found);
  return result;
}

}  // namespace linn::app
