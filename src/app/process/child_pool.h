// Children of this process that run side by side, until somebody asks to stop.
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
  // `stop` is asked some times a second. Once it has said yes the pool is stopped for good, and its children are asked
  // to end.
  explicit ChildPool(std::function<bool()> stop) : stop_(std::move(stop)) {}
  // Ends the children that are left, and waits for them.
  ~ChildPool();
  ChildPool(const ChildPool&) = delete;
  ChildPool& operator=(const ChildPool&) = delete;

  // A child that has been started, under a number by which the caller knows it.
  void add(pid_t process, std::size_t number);

  std::size_t size() const { return running_.size(); }
  bool empty() const { return running_.empty(); }
  bool stopped();

  struct Ended {
    std::size_t number = 0;
    EndedChild child;
  };
  // Waits for a child to end. Nothing if none does for a while, so that the caller can look around.
  std::optional<Ended> wait();

 private:
  std::function<bool()> stop_;
  bool stopped_ = false;
  std::map<pid_t, std::size_t> running_;
};

}  // namespace linn::app
