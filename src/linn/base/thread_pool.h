// A thread pool for the tasks of one step.
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

// Runs numbered tasks on a fixed number of threads, including the caller's. The assignment of tasks to threads is not
// deterministic: a result that must not depend on the number of threads has to be computed per task.
class ThreadPool {
 public:
  // 0 means one thread per core. Throws Failure if the threads cannot be started. Once `stop` is set, run() starts no
  // more tasks and throws Interrupted; null: never. `most_lanes`: see there.
  explicit ThreadPool(std::size_t threads = 1, const std::atomic<bool>* stop = nullptr,
                      std::size_t most_lanes = ~std::size_t{0});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const { return workers_.size() + 1; }
  const std::atomic<bool>* stop() const { return interrupt_; }
  // Work whose parts are summed apart, so that the sums do not depend on the number of threads, is cut into at most so
  // many of them. One suits work that always runs on one thread.
  std::size_t most_lanes() const { return most_lanes_; }

  // Calls work(task, thread) for every task in [0, tasks) and returns when all have finished. `thread` is below
  // threads() and identifies the scratch memory the call may use. The first exception is rethrown after the other tasks
  // have finished. Does not allocate.
  template <class Work>
  void run(std::size_t tasks, Work&& work) {
    // A function pointer and a pointer to the callable: std::function could allocate.
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
  const std::atomic<bool>* interrupt_;
  std::size_t most_lanes_;

  // The current job. A new round number publishes it; it is over when no worker is busy.
  Call call_ = nullptr;
  void* callable_ = nullptr;
  std::size_t tasks_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<std::size_t> busy_{0};
  std::atomic<std::uint64_t> round_{0};
  std::atomic<bool> stop_{false};

  // Workers spin briefly, because jobs follow each other within microseconds, and then sleep.
  std::mutex mutex_;
  std::condition_variable wake_;
  std::exception_ptr error_;
};

}  // namespace linn
