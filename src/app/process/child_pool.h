// Child processes that run side by side until they end or are stopped.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "app/process/child_process.h"

namespace linn::app {

class ChildPool {
 public:
  // `stop` is polled several times a second. Once it returns true, the pool stays stopped and terminates its children.
  explicit ChildPool(std::function<bool()> stop) : stop_(std::move(stop)) {}
  // Terminates the remaining children and waits for them.
  ~ChildPool();
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  // Adds a running child under a number of the caller's choice.
  void add(pid_t process, std::size_t number);

  std::size_t size() const { return running_.size(); }
  bool empty() const { return running_.empty(); }
  bool stopped();

  struct Ended {
    std::size_t number = 0;
    EndedChild child;
  };
  // Waits for a child to end, at most a fraction of a second.
  std::optional<Ended> wait();

 private:
  std::function<bool()> stop_;
  bool stopped_ = false;
  std::map<pid_t, std::size_t> running_;
};

}  // namespace linn::app
