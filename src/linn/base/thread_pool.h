// Workers that share out the tasks of one step.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace linn {

// Runs numbered tasks on a fixed number of threads, the caller being one of them. Which thread runs a task is
// not determined: a result that must not depend on the number of threads has to be made a task at a time.
class ThreadPool {
 public:
  // 0 stands for as many as the machine has cores. Throws Failure if they cannot be started.
  explicit ThreadPool(std::size_t threads = 1);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const { return workers_.size() + 1; }

  // Calls work(task, thread) for every task in [0, tasks) and returns when all are done. `thread` is below
  // threads() and names the scratch memory that the call may use. The first exception reaches the caller,
  // after the others have finished. Does not allocate.
  template <class Work>
  void run(std::size_t tasks, Work&& work) {
    // A plain pointer to a function and one to the callable: a std::function could allocate.
    run_tasks(
        tasks,
        [](void* callable, std::size_t task, std::size_t thread) {
          (*static_cast<std::remove_reference_t<Work>*>(callable))(task, thread);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  using Call = void (*)(void* callable, std::size_t task, std::size_t thread);

  void run_tasks(std::size_t tasks, Call call, void* callable);
  void work(std::size_t thread);
  void take_tasks(std::size_t thread);
  void stop_workers();

  std::vector<std::thread> workers_;

  // The current job. It is published by a new round number and over when no worker is busy with it.
  Call call_ = nullptr;
  void* callable_ = nullptr;
  std::size_t tasks_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stop_{false};

  // Workers spin for a short while, since jobs follow each other within microseconds, and sleep after that.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::exception_ptr error_;
};

}  // namespace linn
